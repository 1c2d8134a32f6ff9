import { lazyPart } from "../../ui/lazy-part.tsx";

/** Loaded when it opens: lists stay light. */
export const UseKeyDialog = lazyPart(async () => (await import("./use-key-dialog.tsx")).UseKeyDialog);
