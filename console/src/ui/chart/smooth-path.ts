type PathPoint = readonly [x: number, y: number];

const rounded = (value: number) => Math.round(value * 100) / 100;

/**
 * The SVG path of a smooth line through points sorted by x. The line never overshoots the values it joins, so that a
 * day without calls does not appear negative. Slopes as in Steffen, "A simple method for monotonic interpolation in one
 * dimension", Astronomy and Astrophysics 239 (1990), drawn as cubic Béziers.
 */
export function smoothPath(points: readonly PathPoint[]): string {
  return points.map((point, index) => segmentTo(points, index, point)).join("");
}

function segmentTo(points: readonly PathPoint[], index: number, [x, y]: PathPoint): string {
  const before = points[index - 1];
  if (before === undefined) return `M${rounded(x)},${rounded(y)}`;
  const third = (x - before[0]) / 3;
  const leave = [before[0] + third, before[1] + third * slopeAt(points, index - 1)];
  const arrive = [x - third, y - third * slopeAt(points, index)];
  return `C${[...leave, ...arrive, x, y].map(rounded).join(",")}`;
}

function slopeAt(points: readonly PathPoint[], index: number): number {
  const here = points[index];
  const before = points[index - 1];
  const after = points[index + 1];
  if (here === undefined || (before === undefined && after === undefined)) return 0;
  if (before === undefined || after === undefined) {
    const [from, to] = before === undefined ? [here, after] : [before, here];
    return from === undefined || to === undefined ? 0 : slope(from, to);
  }
  const [left, right] = [slope(before, here), slope(here, after)];
  // The slope at a local extremum is 0, which keeps the line within the values.
  if (left * right <= 0) return 0;
  const [widthLeft, widthRight] = [here[0] - before[0], after[0] - here[0]];
  const mean = (left * widthRight + right * widthLeft) / (widthLeft + widthRight);
  const least = Math.min(Math.abs(left), Math.abs(right), Math.abs(mean) / 2);
  return 2 * Math.sign(left) * least;
}

const slope = (from: PathPoint, to: PathPoint): number =>
  to[0] === from[0] ? 0 : (to[1] - from[1]) / (to[0] - from[0]);
