/** One thing that happens to an operator, and what must be true after it. */
import type { DatabaseKind } from "@tollgate/tests/harness/gateway-database.ts";
import type { OperatorSite } from "./operator-site.ts";

export interface OperatorChapter {
  title: string;
  /** Of one database alone; of both without it. */
  only?: DatabaseKind;
  /** Why the chapter cannot be played on this machine; undefined where it can. */
  isMissing?(): string | undefined;
  /** Throws where something is not as it must be. Afterwards a client is answered. */
  play(site: OperatorSite): Promise<void>;
}
