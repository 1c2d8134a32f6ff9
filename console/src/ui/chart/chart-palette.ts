/** The colours and hatches of series. A colour belongs to a name, so that a model looks the same in every chart. */

/** The style sheet defines the colours for both themes. None is red: red means failure. */
export const paletteSize = 15;

/** What marks a series: its colour, and a hatch that tells series of equal colour apart. */
export type SeriesMark = { colour: string; hatch: number };

/** Solid, then stripes in three directions, then wider ones: at most 15 series share a chart. */
const hatchAngles = [45, 135, 90, 0] as const;

/** The 32-bit FNV-1a hash: it spreads names that differ in one character. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export const colourIndexOf = (name: string): number => hashOf(name) % paletteSize;

/**
 * A mark for each name. Of names with equal colours the first in alphabetical order is solid, so that the marks do not
 * depend on which is the largest. `neutral` is the name of the sum of the remaining series, which is grey.
 */
export function seriesMarks(names: readonly string[], neutral?: string): ReadonlyMap<string, SeriesMark> {
  const used = new Map<number, number>();
  const marks = new Map<string, SeriesMark>();
  for (const name of [...names].sort()) {
    if (name === neutral) {
      marks.set(name, { colour: "var(--faint)", hatch: 0 });
      continue;
    }
    const colour = colourIndexOf(name);
    const hatch = used.get(colour) ?? 0;
    used.set(colour, hatch + 1);
    marks.set(name, { colour: `var(--series-${colour + 1})`, hatch });
  }
  return marks;
}

/** Degrees of the stripes, and their distance in pixels; undefined for a solid fill. */
export function hatchOf({ hatch }: SeriesMark): { angle: number; step: number } | undefined {
  if (hatch === 0) return undefined;
  const angle = hatchAngles[(hatch - 1) % hatchAngles.length] ?? 0;
  return { angle, step: 4 + 3 * Math.floor((hatch - 1) / hatchAngles.length) };
}

/** The CSS background of a legend's mark. */
export function markBackground(mark: SeriesMark): string {
  const hatch = hatchOf(mark);
  if (hatch === undefined) return mark.colour;
  const half = hatch.step / 2;
  return `repeating-linear-gradient(${hatch.angle}deg, ${mark.colour} 0 ${half}px, var(--card) ${half}px ${hatch.step}px)`;
}
