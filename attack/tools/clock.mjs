// Loaded before the gateway: its clock begins at ATTACK_CLOCK, so that the border of a budget's window is seconds away.
const startedAt = Date.now();
const begin = Number(process.env.ATTACK_CLOCK);
const RealDate = Date;
const now = () => begin + RealDate.now() - startedAt;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }
  static now() {
    return now();
  }
};
