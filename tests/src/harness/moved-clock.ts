// Loaded before a program (NODE_OPTIONS=--import=…), it moves the program's clock by as many
// milliseconds as the file MOVED_CLOCK says at the moment; `=` and a time make it stand there.
// Monotonic time goes on as it does.
import { readFileSync } from "node:fs";

const file = process.env.MOVED_CLOCK ?? "";
const readEveryMs = 10;
const RealDate = Date;
let offsetMs = 0;
let standsAt: number | undefined;
let readAt = Number.NEGATIVE_INFINITY;

function movedNow(): number {
  if (performance.now() - readAt > readEveryMs) {
    readAt = performance.now();
    const text = readFileSync(file, "utf8");
    standsAt = text.startsWith("=") ? Number(text.slice(1)) : undefined;
    offsetMs = standsAt === undefined ? Number(text) : 0;
  }
  return standsAt ?? RealDate.now() + offsetMs;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], derived) =>
    Reflect.construct(target, args.length > 0 ? args : [movedNow()], derived) as Date,
  apply: () => new RealDate(movedNow()).toString(),
  get: (target, name, receiver) =>
    name === "now" ? movedNow : (Reflect.get(target, name, receiver) as unknown),
});
