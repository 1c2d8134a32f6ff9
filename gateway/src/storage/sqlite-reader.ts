/** The reader thread: lists, charts and look-ups, so that a slow one never stalls a stream on the main thread. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteConnection } from "./sqlite-connection.ts";
import { type Answer, failureOf, type ReaderCall, type ThreadData } from "./sqlite-protocol.ts";

const statementsMax = 500;

if (parentPort) serve(parentPort, workerData as ThreadData);

function serve(port: NonNullable<typeof parentPort>, { file }: ThreadData): void {
  const db = openSqliteConnection(new DatabaseSync(file));
  db.exec("pragma query_only = ON");
  const prepared = new Map<string, StatementSync>();

  port.on("message", (calls: ReaderCall[] | "close") => {
    if (calls === "close") {
      db.close();
      port.close();
      return;
    }
    for (const [sequence, sql, parameters] of calls) {
      port.postMessage([answer(sequence, sql, parameters)]);
    }
  });

  function answer(sequence: number, sql: string, parameters: ReaderCall[2]): Answer {
    try {
      let statement = prepared.get(sql);
      if (!statement) {
        if (prepared.size >= statementsMax) prepared.clear();
        statement = db.prepare(sql);
        prepared.set(sql, statement);
      }
      return [sequence, null, statement.all(...parameters)];
    } catch (error) {
      return [sequence, failureOf(error), null];
    }
  }
}
