const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of the command palette on this machine, as they are printed on it. */
export const paletteKeys: readonly [string, string] = isApple ? ["⌘", "K"] : ["Ctrl", "K"];
/** `paletteAriaKeys` are the same for `aria-keyshortcuts`. */
export const paletteAriaKeys = isApple ? "Meta+K" : "Control+K";
