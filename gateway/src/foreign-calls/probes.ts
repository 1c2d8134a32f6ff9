/**
 * Probes for load balancers and orchestrators, which tell that the gateway lives and is ready: at
 * its own addresses and at LiteLLM's.
 */
import type { ServerResponse } from "node:http";
import { respondJson, respondPlainText } from "../http/plain-text-response.ts";
import type { Database } from "../storage/database.ts";
import { litellmProbes } from "./foreign-paths.ts";

export interface ProbedGateway {
  db: Pick<Database, "read" | "sql" | "isWritable">;
  isStopping: boolean;
}

/** False where the path is of no probe, and nothing is answered. */
export function answerProbe(
  path: string,
  response: ServerResponse,
  gateway: ProbedGateway,
): boolean {
  if (path === "/healthz" || path === "/livez") respondPlainText(response, 200, "ok");
  else if (path === "/readyz") void answerReadiness(response, gateway);
  else if (litellmProbes[path] === "alive") respondJson(response, 200, "I'm alive!");
  else if (litellmProbes[path] === "ready") void answerLitellmReadiness(response, gateway);
  else return false;
  return true;
}

async function answerReadiness(response: ServerResponse, gateway: ProbedGateway): Promise<void> {
  const isReached = await reachesStorage(gateway);
  const isReady = isReached && !gateway.isStopping;
  respondPlainText(response, isReady ? 200 : 503, isReached ? "ready" : "storage is not available");
}

async function answerLitellmReadiness(
  response: ServerResponse,
  gateway: ProbedGateway,
): Promise<void> {
  const isReached = await reachesStorage(gateway);
  const isReady = isReached && !gateway.isStopping;
  const db = isReached ? "connected" : "disconnected";
  respondJson(response, isReady ? 200 : 503, { status: isReady ? "healthy" : "unhealthy", db });
}

async function reachesStorage({ db }: ProbedGateway): Promise<boolean> {
  if (!db.isWritable()) return false;
  return await db.read(db.sql.selectFrom("versions").select("topic").limit(1)).then(
    () => true,
    () => false,
  );
}
