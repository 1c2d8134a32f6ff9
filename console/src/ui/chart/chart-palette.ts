/** Fifteen colours, with adjacent ones apart in hue and lightness; the style sheet defines them for both themes. */
export const paletteSize = 15;

export const seriesColour = (index: number): string => `var(--series-${(index % paletteSize) + 1})`;
