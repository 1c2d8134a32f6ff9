/** JSON bodies that cost the most to read for their size, and what reading costs. */

const mebi = 1024 * 1024;
const runs = 5;

/** Elements until they fill the bytes, or so many. */
function listOf(
  bytes: number,
  element: (index: number) => string,
  most = Number.POSITIVE_INFINITY,
): string {
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; index < most; index += 1) {
    const part = element(index);
    length += part.length + 1;
    if (length > bytes) break;
    parts.push(part);
  }
  return parts.join(",");
}

/** Parts that a body may have; the other ones are those of the request around them. */
const allowedParts = 99_900;

/** The JSON of `bytes` bytes that stands in the member `x`, or members beside it. */
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  "one text": (bytes) => `"x":"${"x".repeat(bytes)}"`,
  "a text of quotes": (bytes) => `"x":"${'\\"'.repeat(bytes / 2)}"`,
  "a text of escapes": (bytes) => `"x":"${"\\u00e9".repeat(bytes / 6)}"`,
  "a text of other letters": (bytes) => `"x":"${"é漢".repeat(bytes / 5)}"`,
  "as many members as are read": (bytes) => listOf(bytes, (index) => `"m${index}":0`, allowedParts),
  "as many long texts as are read": (bytes) => {
    const text = "x".repeat(Math.max(1, bytes / allowedParts - 4));
    return `"x":[${listOf(bytes, () => `"${text}"`, allowedParts)}]`;
  },
  "a million members": (bytes) => listOf(bytes, (index) => `"m${index}":0`, 1_000_000),
  "objects with a model each": (bytes) =>
    `"tools":[${listOf(bytes, () => '{"type":"x","model":"m"}')}]`,
  "as many numbers as it holds": (bytes) =>
    `"x":[${listOf(bytes, () => "0.123456789012345678901234567")}]`,
  "one number and blanks": (bytes) => `"x":${"1".repeat(bytes / 2)}${" ".repeat(bytes / 2)}`,
};

export const bodyShapes = Object.entries(shapes).map(([shape, make]) => ({
  shape,
  /** A request with these members, at most `bytes` long. */
  bodyOf(members: object, bytes: number): Buffer {
    const beginning = JSON.stringify(members).slice(0, -1);
    return Buffer.from(`${beginning},${make(bytes - beginning.length - 20)}}`);
  },
}));

/**
 * `largestAllowed` holds those with the most members that are read, and with more: where a walk
 * over all of them shows.
 */
export const largestAllowed = bodyShapes.filter(({ shape }) => /members/.test(shape));

/** The processor time of this thread, in milliseconds. */
const ownCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * `medianCostMs` gives what a run costs by a clock of processor time, in milliseconds: the median
 * of five, or what bounds it where three runs are below `bound` already. A refusal is a result,
 * too.
 */
export async function medianCostMs(
  run: () => unknown,
  bound = 0,
  clock = ownCpuMs,
): Promise<number> {
  const times: number[] = [];
  const isDecided = (): boolean =>
    times.length === runs || times.filter((time) => time < bound).length > runs / 2;
  while (!isDecided()) {
    const before = clock();
    await Promise.try(run).catch(() => undefined);
    times.push(clock() - before);
  }
  times.sort((one, other) => one - other);
  return times[runs >> 1] ?? Math.max(...times);
}

const cpuMaxMs = 300;
let textCostMs: number | undefined;

/**
 * `costBoundMs` gives what a body may cost: 300 ms, or four times what parsing a text of escaped
 * quotes of 32 MiB costs on this machine where that is more. No text of that size costs the parser
 * more, so the bound is about what comes on top of it.
 */
export async function costBoundMs(): Promise<number> {
  const json = textCostMs === undefined ? JSON.stringify('"'.repeat(16 * mebi)) : "";
  textCostMs ??= await medianCostMs(() => JSON.parse(json) as unknown);
  return Math.max(cpuMaxMs, 4 * textCostMs);
}
