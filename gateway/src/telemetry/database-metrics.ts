/** The time that the database takes, its failures, and its load. */
import type { Database, DatabaseVerb } from "../storage/database.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { Histogram } from "./metric-registry.ts";

const usPerMs = 1_000;
const msPerSecond = 1_000;

export function watchDatabase(
  metrics: GatewayMetrics,
  db: Pick<Database, "observe" | "load" | "replica">,
): void {
  // From 0 on, so that an alert sees the first one rise.
  const errors = {
    unavailable: metrics.databaseErrors.child("unavailable"),
    bug: metrics.databaseErrors.child("bug"),
  };
  const durations = new Map<DatabaseVerb, Histogram>();
  db.observe({
    ended(verb, ms) {
      let duration = durations.get(verb);
      if (!duration) {
        duration = metrics.databaseDuration.child(verb);
        durations.set(verb, duration);
      }
      duration.observe(ms * usPerMs);
    },
    failed: (kind) => errors[kind].add(1),
    figuresRead: (source) => metrics.figuresRead.child(source).add(1),
  });
  const { replica } = db;
  metrics.replicaLag.readFrom(() => {
    const lagMs = replica?.lagMs() ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(lagMs) ? [[[], lagMs / msPerSecond]] : [];
  });
  metrics.databaseConnections.readFrom(() =>
    Object.entries(db.load()).map(([state, count]) => [[state], count]),
  );
}
