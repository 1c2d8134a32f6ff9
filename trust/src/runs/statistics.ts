// Statistics that a few outliers do not change.

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export interface MeasuredPoint {
  x: number;
  y: number;
}

/** The Theil-Sen slope: the median of the slopes between all pairs of points. */
export function robustSlope(points: readonly MeasuredPoint[]): number {
  const slopes = points.flatMap((one, at) =>
    points
      .slice(at + 1)
      .flatMap((other) => (other.x === one.x ? [] : [(other.y - one.y) / (other.x - one.x)])),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}
