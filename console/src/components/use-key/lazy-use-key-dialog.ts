import { buildLazyPart } from "../../ui/lazy-part.tsx";

/** Loaded when it opens: lists stay light. */
export const UseKeyDialog = buildLazyPart(
  async () => (await import("./use-key-dialog.tsx")).UseKeyDialog,
);
