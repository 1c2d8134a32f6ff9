import { lazyDialog } from "../lazy-dialog.tsx";

/** Loaded when it opens: lists stay light. */
export const UseKeyDialog = lazyDialog(async () => (await import("./use-key-dialog.tsx")).UseKeyDialog);
