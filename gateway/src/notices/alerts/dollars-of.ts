/** Units; currency exists where something is shown. */
export const unitsPerDollar = 500_000;

/** `formatDollars` writes them as operators read them: `$4.20`. */
export const formatDollars = (units: number): string => `$${(units / unitsPerDollar).toFixed(2)}`;
