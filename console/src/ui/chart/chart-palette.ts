/** Fifteen colours, neighbours apart in hue and lightness; the style sheet has them for both themes. */
export const paletteSize = 15;

export const seriesColour = (place: number): string => `var(--series-${(place % paletteSize) + 1})`;
