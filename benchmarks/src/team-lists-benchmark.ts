/**
 * The warm server time of lists at the size of a large company: 100,000 keys, 10,000 users and 500
 * teams, asked by administrators and by people in a team. Writes docs/benchmarks.md; exits with 1
 * where a list misses its goal.
 *
 *   node benchmarks/src/team-lists-benchmark.ts [--dialect sqlite|postgres]
 */
import { parseArgs } from "node:util";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { readUuid7 } from "@tollgate/gateway/storage/time-ids.ts";
import type { ManagementGateway } from "../../tests/src/api/management-gateway.ts";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";
import { writeSection } from "./benchmark-report.ts";

const { values: flags } = parseArgs({
  options: { dialect: { type: "string", default: "sqlite" } },
});
const dialect = flags.dialect === "postgres" ? "postgres" : "sqlite";
const userCount = 10_000;
const teamCount = 500;
const keyCount = 100_000;
const membersOfTeam = userCount / teamCount;
/** Four of five keys belong to a team. */
const isOfTeam = (place: number): boolean => place % 5 !== 0;
const rowsAtOnce = 1_000;
const warmUp = 5;
const runs = 60;
const goalMs = 100;

const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, place) => from + place);

async function fill({ db, clock }: ManagementGateway): Promise<{ userId: number; teamId: number }> {
  const { sql } = db;
  const now = clock.now;
  const many = async (count: number, insert: (places: number[]) => ReturnType<typeof toWrite>) => {
    for (let from = 0; from < count; from += rowsAtOnce)
      await db.write([insert(range(from, Math.min(rowsAtOnce, count - from)))]);
  };
  const toWrite = (query: Parameters<typeof db.write>[0][number]["query"]) => ({ query });
  const nextOf = async (table: "wallets" | "users" | "teams" | "tokens") => {
    const [row] = await db.read(
      sql.selectFrom(table).select(({ fn }) => fn.max<number>("id").as("last")),
    );
    return Number(row?.last ?? 0) + 1;
  };
  const uuid = () => readUuid7(now);
  await many(userCount + teamCount, (places) =>
    toWrite(
      sql
        .insertInto("wallets")
        .values(places.map(() => ({ uuid: uuid(), balance: 0, created_at: now }))),
    ),
  );
  const walletId = (await nextOf("wallets")) - userCount - teamCount;
  await many(userCount, (places) =>
    toWrite(
      sql.insertInto("users").values(
        places.map((place) => ({
          ...{ uuid: uuid(), username: `person${place}`, username_key: `person${place}` },
          ...{ display_name: `Person ${place}`, email: "", password_hash: "", role: 1, status: 1 },
          ...{ group: "default", wallet_id: walletId + place, must_change_password: 0 as const },
          ...{ access_token_hash: null, created_at: now, updated_at: now },
        })),
      ),
    ),
  );
  const userId = (await nextOf("users")) - userCount;
  await many(teamCount, (places) =>
    toWrite(
      sql.insertInto("teams").values(
        places.map((place) => ({
          ...{ uuid: uuid(), name: `team ${place}`, group: "default", status: teamStatus.enabled },
          ...{ wallet_id: walletId + userCount + place, owner_id: userId + place * membersOfTeam },
          ...{ created_at: now, updated_at: now },
        })),
      ),
    ),
  );
  const teamId = (await nextOf("teams")) - teamCount;
  await many(userCount, (places) =>
    toWrite(
      sql.insertInto("team_members").values(
        places.map((place) => ({
          ...{ team_id: teamId + Math.floor(place / membersOfTeam), user_id: userId + place },
          ...{ role: place % membersOfTeam === 0 ? ("admin" as const) : ("member" as const) },
          ...{ created_at: now, updated_at: now },
        })),
      ),
    ),
  );
  await many(keyCount, (places) =>
    toWrite(
      sql.insertInto("tokens").values(
        places.map((place) => {
          const holder = place % userCount;
          const team_id = isOfTeam(place) ? teamId + Math.floor(holder / membersOfTeam) : null;
          return {
            ...{ uuid: uuid(), user_id: userId + holder, team_id, name: `key ${place}` },
            ...{ key_hash: `hash-${place}`, key_sealed: "", status: 1, remain_quota: 0 },
            ...{ unlimited_quota: 1 as const, expired_at: null, models: "", subnet: "" },
            ...{ created_at: now, updated_at: now, accessed_at: now },
          };
        }),
      ),
    ),
  );
  return { userId, teamId };
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1] ?? 0;

const cluster = dialect === "postgres" ? await startPostgresCluster({ fsync: true }) : undefined;
if (cluster) process.env.TEST_POSTGRES_URL = cluster.url;
// They read the address of the server when they are loaded.
const { testDatabases } = await import("../../tests/src/support/test-databases.ts");
const { startManagementGateway } = await import("../../tests/src/api/management-gateway.ts");
const database = testDatabases.find(({ name }) => name === dialect);
if (!database) throw new Error(`there is no database ${dialect}`);
const gateway = await startManagementGateway(database);
try {
  report(await measureAll());
} finally {
  await gateway.close();
  await cluster?.stop();
}

interface ListFigure {
  path: string;
  p50: number;
  p95: number;
}

async function measureAll(): Promise<ListFigure[]> {
  const { teamId } = await fill(gateway);
  // Autovacuum does it within a minute; without statistics PostgreSQL plans for a hundred keys.
  if (dialect === "postgres") {
    const statement = gateway.db.sql.selectFrom("tokens").select("id").compile();
    const analyze = { ...statement, sql: "analyze" };
    await gateway.db.write([{ query: { compile: () => analyze } }]);
  }
  const root = await gateway.signIn("root");
  const mustSucceed = async (...call: Parameters<typeof root>) => {
    const { status, body } = await root(...call);
    if (!body.success) throw new Error(`${call[0]} ${call[1]}: ${status} ${body.message}`);
  };
  // A budget for each of the members of each team.
  for (const id of range(teamId, teamCount)) {
    const body = { name: "each week", window: "week", amount: 1_000_000 };
    await mustSucceed("POST", `/api/team/${id}/cap`, { body });
    if (id % 50 === 0) gateway.clock.now += 60_000;
  }
  const { id } = await gateway.addUser("leader");
  const team = teamId + 250;
  await mustSucceed("PUT", `/api/team/${team}/member`, { body: { user_id: id, role: "admin" } });
  const admin = await gateway.signIn("leader");
  const lists = [
    [root, "/api/team/?size=20"],
    [root, "/api/team/?size=100&p=4"],
    [root, "/api/team/?keyword=team%2041"],
    [admin, "/api/team/"],
    [admin, `/api/team/${team}`],
    [admin, `/api/team/${team}/members`],
    [admin, `/api/team/${team}/tokens?size=100`],
    [admin, `/api/team/${team}/budgets?subject=member&size=100`],
    [admin, `/api/team/${team}/key_offers`],
    [admin, `/api/token/?team_id=${team}&size=100`],
    [admin, `/api/token/search?team_id=${team}&keyword=key%2012`],
    [admin, `/api/log/self?team_id=${team}`],
    [admin, `/api/user/dashboard?team_id=${team}`],
    [admin, `/api/management_key/?team_id=${team}`],
    [root, "/api/token/all?size=20"],
    [root, "/api/token/all?size=100&p=99"],
    [root, "/api/user/?size=20"],
    [root, "/api/user/?size=100&p=90"],
    [root, "/api/user/search?keyword=person99"],
    [root, "/api/budget/?size=20"],
  ] as const;
  const figures: ListFigure[] = [];
  for (const [ask, path] of lists) {
    const times: number[] = [];
    for (const run of range(0, warmUp + runs)) {
      const began = performance.now();
      const { status, body } = await ask("GET", path);
      if (run >= warmUp) times.push(performance.now() - began);
      if (!body.success) throw new Error(`GET ${path}: ${status} ${body.message}`);
    }
    // The limit of calls begins anew.
    gateway.clock.now += 120_000;
    const shown = path.replace(String(team), "N");
    figures.push({ path: shown, p50: percentile(times, 0.5), p95: percentile(times, 0.95) });
  }
  return figures;
}

function report(figures: readonly ListFigure[]): void {
  const lines = figures.map(
    ({ path, p50, p95 }) =>
      `| \`GET ${path}\` | ${p50.toFixed(1)} ms | ${p95.toFixed(1)} ms | ${p95 > goalMs ? "missed" : `under ${goalMs} ms`} |`,
  );
  console.log(lines.join("\n"));
  writeSection(`Lists of a large company on ${dialect === "postgres" ? "PostgreSQL" : "SQLite"}`, [
    `Server time of each list with ${keyCount.toLocaleString("en")} keys, ${userCount.toLocaleString("en")} users and ${teamCount} teams, over ${runs} calls after ${warmUp}.`,
    "",
    "| List | Median | 95th percentile | Goal |",
    "|---|---|---|---|",
    ...lines,
  ]);
  process.exitCode = figures.some(({ p95 }) => p95 > goalMs) ? 1 : 0;
}
