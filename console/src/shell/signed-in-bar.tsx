/**
 * The frame of the pages with data: the parts of the header for signed-in users and the query
 * client, as one chunk.
 */
export { AccountMenu } from "./account-menu.tsx";
export { AlertBell } from "./alert-bell.tsx";
export { LiveArea } from "./live-area.tsx";
export { MenuButton } from "./menu-button.tsx";
export { NavigationBar } from "./navigation-bar.tsx";
export { PaletteButton } from "./palette-button.tsx";
export { SkipToResults } from "./skip-to-results.tsx";
