/** Fifteen colours, neighbours apart in hue and lightness; the style sheet has them for both themes. */
export const paletteSize = 15;

export const seriesColour = (index: number): string => `var(--series-${(index % paletteSize) + 1})`;
