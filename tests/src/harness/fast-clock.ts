// Loaded before a program (NODE_OPTIONS=--import=…), it lets the program's time go FAST_CLOCK times
// as fast: its clock, its monotonic time and its timers agree with each other, and a deadline of
// two minutes is over after a second.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";

const times = Number(process.env.FAST_CLOCK ?? 1);
const RealDate = Date;
const startedAt = RealDate.now();
const fast = (realNow: number, realStart: number): number =>
  realStart + (realNow - realStart) * times;
const fastNow = (): number => Math.floor(fast(RealDate.now(), startedAt));

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], derived) =>
    Reflect.construct(target, args.length > 0 ? args : [fastNow()], derived) as Date,
  apply: () => new RealDate(fastNow()).toString(),
  get: (target, name, receiver) =>
    name === "now" ? fastNow : (Reflect.get(target, name, receiver) as unknown),
});

const realPerformanceNow = performance.now.bind(performance);
const performanceStart = realPerformanceNow();
performance.now = () => fast(realPerformanceNow(), performanceStart);

for (const name of ["setTimeout", "setInterval"] as const) {
  const faster = new Proxy(timers[name], {
    apply: (target, self, [act, ms = 0, ...rest]: [() => void, number?, ...unknown[]]) =>
      Reflect.apply(target, self, [act, ms / times, ...rest]) as NodeJS.Timeout,
  });
  timers[name] = faster as never;
  globalThis[name] = faster as never;
}
syncBuiltinESMExports();
