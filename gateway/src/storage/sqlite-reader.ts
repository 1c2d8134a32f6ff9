/**
 * The reader thread runs lists, charts and lookups, so that a slow query never stalls a stream on
 * the main thread.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { configureSqlite } from "./sqlite-connection.ts";
import {
  classifyFailure,
  type ReaderRequest,
  type SqliteReply,
  type SqliteThreadData,
} from "./sqlite-protocol.ts";

const statementsMax = 500;

if (parentPort) serve(parentPort, workerData as SqliteThreadData);

function serve(
  port: NonNullable<typeof parentPort>,
  { file, hasLittleMemory }: SqliteThreadData,
): void {
  const db = configureSqlite(new DatabaseSync(file), hasLittleMemory);
  db.exec("pragma query_only = ON");
  const prepared = new Map<string, StatementSync>();

  port.on("message", (requests: ReaderRequest[] | "close") => {
    if (requests === "close") {
      db.close();
      port.close();
      return;
    }
    for (const [sequence, sql, parameters] of requests) {
      port.postMessage([execute(sequence, sql, parameters)]);
    }
  });

  function execute(sequence: number, sql: string, parameters: ReaderRequest[2]): SqliteReply {
    try {
      let statement = prepared.get(sql);
      if (!statement) {
        if (prepared.size >= statementsMax) prepared.clear();
        statement = db.prepare(sql);
        prepared.set(sql, statement);
      }
      return [sequence, null, statement.all(...parameters)];
    } catch (error) {
      return [sequence, classifyFailure(error), null];
    }
  }
}
