"""Starts `tutti rl serve` as a resources server of NeMo Gym, on the port that Gym chose for it.

Tutti speaks Gym's protocol itself (/seed_session, /verify, /aggregate_metrics): this process becomes it.
"""

import os

from nemo_gym.global_config import (
    NEMO_GYM_CONFIG_PATH_ENV_VAR_NAME,
    get_first_server_config_dict,
    get_global_config_dict,
)

name = os.environ[NEMO_GYM_CONFIG_PATH_ENV_VAR_NAME]
config = get_first_server_config_dict(get_global_config_dict(), name)
# Gym's other servers call this one by the host of its config, and by no other name.
host = str(config.host)
command = ["tutti", "rl", "serve", "--host", host, "--allow-host", host, "--port", str(config.port)]
os.execvp(command[0], command + [str(argument) for argument in config.get("tutti_arguments", [])])
