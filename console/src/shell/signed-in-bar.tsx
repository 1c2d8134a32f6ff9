/** The parts of the header that only signed-in people see, as one piece of code to load. */
export { AccountMenu } from "./account-menu.tsx";
export { MenuButton } from "./menu-button.tsx";
export { NavigationBar } from "./navigation-bar.tsx";
export { PaletteButton } from "./palette-button.tsx";
