import type { Database } from "@tollgate/gateway/storage/database.ts";
import { sql } from "kysely";

/** Rows of a statement in words of its own. */
export const rawRows = <Row>(db: Database, text: string): Promise<Row[]> =>
  db.read<Row>({ compile: () => sql.raw<Row>(text).compile(db.sql) });
