// The command of each engine, with the paper's settings where the engine has them: 200 iterations of 4 questions
// with 64 rollouts each, GRPO without KL, temperature 1, 1,024 new tokens. By our notes
// OpenRLHF's own argument parser accepts its command; the others are written after documentation and were not run.

import type { ExportEngine } from "./export-rows.ts";

interface Place {
  /** Where the folder of the export is. */
  folder: string;
  /** Of the server, as the engine reaches it. */
  url: string;
  model: string;
}

export function toCommand(engine: ExportEngine, place: Place): string {
  return COMMANDS[engine](place);
}

const COMMANDS: Record<ExportEngine, (place: Place) => string> = {
  openrlhf: ({ folder, url, model }) => `ray start --head --num-gpus 8
ray job submit --address=http://127.0.0.1:8265 -- python3 -m openrlhf.cli.train_ppo_ray \\
 --actor.model_name_or_path ${model} --reward.remote_url ${url}/rl/openrlhf \\
 --data.prompt_dataset ${folder}/train.jsonl --data.input_key prompt --data.label_key label --data.apply_chat_template \\
 --algo.advantage.estimator group_norm --algo.kl.init_coef 0 \\
 --rollout.batch_size 4 --rollout.n_samples_per_prompt 64 --rollout.micro_batch_size 4 \\
 --train.batch_size 256 --train.micro_batch_size 2 --train.max_epochs 1 --train.num_episodes 1 \\
 --rollout.temperature 1.0 --rollout.top_p 1.0 --rollout.max_new_tokens 1024 --data.max_len 4096 \\
 --actor.adam.lr 1e-6 --actor.lr_warmup_ratio 0 --actor.min_lr_ratio 1.0 --actor.eps_clip 0.2 --actor.max_norm 1.0 \\
 --actor.num_nodes 1 --actor.num_gpus_per_node 8 --ref.num_nodes 1 --ref.num_gpus_per_node 8 \\
 --vllm.num_engines 8 --vllm.tensor_parallel_size 1 --vllm.gpu_memory_utilization 0.5 --vllm.enable_sleep --vllm.sync_backend nccl \\
 --train.colocate_all --ds.enable_sleep --ds.zero_stage 3 --ds.param_dtype bf16 --ds.packing_samples \\
 --actor.gradient_checkpointing_enable --ckpt.output_dir ./conductor-7b --ckpt.path ./conductor-7b/ckpt --ckpt.save_steps 20 --ckpt.save_hf`,

  slime: ({
    folder,
    url,
    model,
  }) => `# MODEL_ARGS is what slime's scripts/models has for your model; HF and MEGATRON are its two checkpoints.
ray start --head --num-gpus 8
ray job submit --address=http://127.0.0.1:8265 -- python3 train.py "\${MODEL_ARGS[@]}" \\
 --hf-checkpoint "\${HF:-${model}}" --ref-load "$MEGATRON" --save ./conductor-7b --save-interval 20 \\
 --rm-type remote_rm --rm-url ${url}/rl/slime \\
 --prompt-data ${folder}/train.jsonl --input-key prompt --label-key label --apply-chat-template --rollout-shuffle \\
 --num-rollout 200 --rollout-batch-size 4 --n-samples-per-prompt 64 --global-batch-size 256 \\
 --rollout-temperature 1.0 --rollout-max-response-len 1024 \\
 --advantage-estimator grpo --eps-clip 0.2 --optimizer adam --lr 1e-6 --lr-decay-style cosine \\
 --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate --rollout-num-gpus-per-engine 1 \\
 --use-dynamic-batch-size --max-tokens-per-gpu 9216`,

  trl: ({ folder, url, model }) => `export TUTTI_RL_URL=${url} PYTHONPATH=${folder}
trl grpo --accelerate_config zero3 --num_processes 8 \\
 --model_name_or_path ${model} --dataset_name ${folder} --reward_funcs conductor_reward.conductor_reward \\
 --num_generations 64 --per_device_train_batch_size 8 --gradient_accumulation_steps 4 --max_steps 200 \\
 --max_completion_length 1024 --temperature 1.0 --beta 0.0 --epsilon 0.2 --num_iterations 1 \\
 --learning_rate 1e-6 --lr_scheduler_type cosine --warmup_ratio 0.03 --max_grad_norm 1.0 \\
 --bf16 --gradient_checkpointing --use_vllm --vllm_mode colocate --save_steps 20 --output_dir ./conductor-7b`,

  verl: ({ folder, url, model }) => `# Older versions read Parquet alone:
python3 -c "from datasets import load_dataset as load; [load('json', data_files='${folder}/' + name + '.jsonl')['train'].to_parquet('${folder}/' + name + '.parquet') for name in ('train', 'test')]"
export TUTTI_RL_URL=${url}
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo algorithm.use_kl_in_reward=False \\
 data.train_files=${folder}/train.parquet data.val_files=${folder}/test.parquet \\
 data.train_batch_size=4 data.max_prompt_length=3072 data.max_response_length=1024 data.truncation=error \\
 reward.custom_reward_function.path=${folder}/conductor_reward.py reward.custom_reward_function.name=compute_score \\
 actor_rollout_ref.model.path=${model} actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=64 \\
 actor_rollout_ref.rollout.temperature=1.0 actor_rollout_ref.rollout.gpu_memory_utilization=0.5 \\
 actor_rollout_ref.rollout.tensor_model_parallel_size=1 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 \\
 actor_rollout_ref.actor.optim.lr=1e-6 actor_rollout_ref.actor.clip_ratio=0.2 actor_rollout_ref.actor.use_kl_loss=False \\
 actor_rollout_ref.actor.ppo_mini_batch_size=4 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \\
 actor_rollout_ref.model.enable_gradient_checkpointing=True \\
 trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.total_training_steps=200 trainer.save_freq=20 \\
 trainer.default_local_dir=./conductor-7b`,

  "nemo-gym": ({
    folder,
  }) => `# In a checkout of NeMo Gym; Node 20.19 or newer and \`npm install -g tutti\` where its servers run.
cp -r ${folder}/nemo_gym resources_servers/tutti_conductor
cp ${folder}/train.jsonl ${folder}/test.jsonl resources_servers/tutti_conductor/data/
ng_run "+config_paths=[resources_servers/tutti_conductor/configs/tutti_conductor.yaml,responses_api_models/vllm_model/configs/vllm_model.yaml]"
# In a second terminal, to see rewards come:
ng_collect_rollouts +agent_name=tutti_conductor_simple_agent +limit=4 +num_repeats=4 \\
 +input_jsonl_fpath=resources_servers/tutti_conductor/data/train.jsonl +output_jsonl_fpath=rollouts.jsonl
# Then NeMo-RL's GRPO recipe for NeMo Gym with the same configs: 4 prompts a step, 64 generations each, 200 steps.`,
};
