import { createContext, type ReactNode, use } from "react";

/**
 * `MayChange` says whether the reader may change what the page is about. Where not, as for an
 * auditor, the parts that change something are not drawn.
 */
export const MayChange = createContext(true);

/** `ChangeOnly` holds what only a reader who may change something has a use for. */
export const ChangeOnly = ({ children }: { children: ReactNode }): ReactNode =>
  use(MayChange) ? children : null;
