/**
 * The colours and hatches of series. A colour belongs to a name, so that a model looks the same in
 * every chart.
 */

/** The style sheet defines the colours for both themes. None is red: red means failure. */
export const paletteSize = 15;

/**
 * `SeriesMark` is what marks a series: its colour, and a hatch that tells most series of equal
 * colour apart.
 */
export type SeriesMark = { colour: string; hatch: number };

/** Stripes in three directions, then wider ones. */
const hatchAngles = [45, 135, 90] as const;
/**
 * `hatchShares` has the hatches that names fall on: most are solid, for stripes are loud beside
 * each other.
 */
const hatchShares = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6] as const;
/** `restMark` is for the sum of the series that have none of their own: it is the palest of all. */
export const restMark: SeriesMark = { colour: "var(--series-rest)", hatch: 0 };

/** The 32-bit FNV-1a hash: it spreads names that differ in one character. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * `mixFactor` is near the golden ratio of 2^32; of its neighbours, this one separates the models
 * that are used most.
 */
const mixFactor = 0x9e379289;

/** `mixHash` is a second hash: two names of equal colour rarely agree in it as well. */
function mixHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), mixFactor);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/**
 * `chooseMark` depends on the name alone, so that a model looks the same in every chart and range.
 */
export function chooseMark(name: string): SeriesMark {
  const hash = hashName(name);
  const hatch = hatchShares[mixHash(Math.floor(hash / paletteSize)) % hatchShares.length] ?? 0;
  return { colour: `var(--series-${(hash % paletteSize) + 1})`, hatch };
}

/** A mark for each name; `neutral` is the name of the sum of the remaining series. */
export const collectSeriesMarks = (
  names: readonly string[],
  neutral?: string,
): ReadonlyMap<string, SeriesMark> =>
  new Map(names.map((name) => [name, name === neutral ? restMark : chooseMark(name)]));

/** Each is told from the card and from the next one. */
const failureTones = [100, 76, 56] as const;

/**
 * `chooseFailureMark` is red alone, in tones and then in stripes: `place` is that of the reason
 * among those shown.
 */
export const chooseFailureMark = (place: number): SeriesMark => ({
  colour: `color-mix(in oklab, var(--bad) ${failureTones[place % failureTones.length]}%, var(--card))`,
  hatch: Math.floor(place / failureTones.length),
});

/** `calmMark` is for what went on without a failure of ours, such as a client that left. */
export const calmMark: SeriesMark = { colour: "var(--faint)", hatch: 0 };

/** `rescuedMark` is for calls that failed first and were answered in the end. */
export const rescuedMark: SeriesMark = { colour: "var(--warn)", hatch: 1 };

/** Degrees of the stripes, and their distance in pixels; undefined for a solid fill. */
export function buildHatch({ hatch }: SeriesMark): { angle: number; step: number } | undefined {
  if (hatch === 0) return undefined;
  const angle = hatchAngles[(hatch - 1) % hatchAngles.length] ?? 0;
  return { angle, step: 4 + 3 * Math.floor((hatch - 1) / hatchAngles.length) };
}

/** `softenColour` lies between stripes: beside the card itself, they would flicker. */
export const softenColour = (colour: string): string =>
  `color-mix(in oklab, ${colour} 45%, var(--card))`;

/** The CSS background of a legend's mark. */
export function markBackground(mark: SeriesMark): string {
  const hatch = buildHatch(mark);
  if (hatch === undefined) return mark.colour;
  const half = hatch.step / 2;
  return `repeating-linear-gradient(${hatch.angle}deg, ${mark.colour} 0 ${half}px, ${softenColour(mark.colour)} ${half}px ${hatch.step}px)`;
}
