/**
 * Preloaded into a process (`node --import`), and by it into its threads and children: the clock is as far ahead of the machine's, or behind,
 * as `?ahead=MS` in the address of this module says. So the commands run as they are, on what to them is a machine of another day.
 */
const ahead = Number(new URL(import.meta.url).searchParams.get("ahead"));
const { Date: MachineDate } = globalThis;
const now = () => MachineDate.now() + ahead;

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  apply: (target) => new target(now()).toString(),
  get: (target, key, self) => (key === "now" ? now : Reflect.get(target, key, self)),
});
