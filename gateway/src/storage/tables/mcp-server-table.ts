/** Servers of the Model Context Protocol. */
import type { Generated } from "kysely";
import type { Flag, Millis, QuotaUnits } from "./column-types.ts";

export interface McpServersTable {
  id: Generated<number>;
  uuid: string;
  name: string;
  description: string;
  url: string;
  /** Values by name as JSON, sealed; empty for none. */
  headers_sealed: string;
  /** A JSON array: the names in `headers_sealed`. */
  header_names: string;
  enabled: Flag;
  /** JSON arrays of names; empty for all. */
  groups: string;
  tools: string;
  /** Only keys that name it, or one of its tools, may use it. */
  named_only: Generated<Flag>;
  call_price: QuotaUnits;
  /** Units by the name of the tool, as JSON. */
  tool_prices: string;
  timeout_ms: number;
  /** The configuration file that it belongs to; empty for none. */
  managed_by: Generated<string>;
  created_at: Millis;
  updated_at: Millis;
}
