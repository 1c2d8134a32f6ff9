/** The parts of the header for signed-in users, loaded as one chunk. */
export { AccountMenu } from "./account-menu.tsx";
export { AlertBell } from "./alert-bell.tsx";
export { MenuButton } from "./menu-button.tsx";
export { NavigationBar } from "./navigation-bar.tsx";
export { PaletteButton } from "./palette-button.tsx";
