// Lists at the size of a large company: 100,000 keys, 10,000 users and 500 teams. Each answers
// within 100 ms at the 95th percentile once it is warm, to administrators and to people in a team.
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { readUuid7 } from "@tollgate/gateway/storage/time-ids.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const userCount = 10_000;
const teamCount = 500;
const keyCount = 100_000;
const membersOfTeam = userCount / teamCount;
/** Four of five keys belong to a team. */
const isOfTeam = (place: number): boolean => place % 5 !== 0;
const rowsAtOnce = 1_000;
const runs = 60;
/** What else the machine does may disturb a round: the quietest one counts. */
const rounds = 3;
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

describe.each(testDatabases)("lists of a large company on $name", (database) => {
  let gateway: ManagementGateway;
  let as: Record<"root" | "admin", TestApiClient>;
  let team: number;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    const { teamId } = await fill(gateway);
    const root = await gateway.signIn("root");
    // A budget for each of the members of each team.
    for (const id of range(teamId, teamCount)) {
      const body = { name: "each week", window: "week", amount: 1_000_000 };
      expect((await root("POST", `/api/team/${id}/cap`, { body })).body.success).toBe(true);
      if (id % 50 === 0) gateway.clock.now += 60_000;
    }
    const { id } = await gateway.addUser("leader");
    team = teamId + 250;
    const seat = { body: { user_id: id, role: "admin" } };
    await root("PUT", `/api/team/${team}/member`, seat);
    as = { root, admin: await gateway.signIn("leader") };
  }, 600_000);
  afterAll(() => gateway.close());

  const lists = (): [who: "root" | "admin", path: string][] => [
    ["root", "/api/team/?size=20"],
    ["root", "/api/team/?size=100&p=4"],
    ["root", "/api/team/?keyword=team%2041"],
    ["admin", "/api/team/"],
    ["admin", `/api/team/${team}`],
    ["admin", `/api/team/${team}/members`],
    ["admin", `/api/team/${team}/tokens?size=100`],
    ["admin", `/api/team/${team}/budgets?subject=member&size=100`],
    ["admin", `/api/team/${team}/key_offers`],
    ["admin", `/api/token/?team_id=${team}&size=100`],
    ["admin", `/api/token/search?team_id=${team}&keyword=key%2012`],
    ["admin", `/api/log/self?team_id=${team}`],
    ["admin", `/api/user/dashboard?team_id=${team}`],
    ["admin", `/api/management_key/?team_id=${team}`],
    ["root", "/api/token/all?size=20"],
    ["root", "/api/user/?size=20"],
    ["root", "/api/user/?size=100&p=90"],
    ["root", "/api/user/search?keyword=person99"],
    ["root", "/api/budget/?size=20"],
  ];

  test("each list answers within 100 ms at the 95th percentile", { timeout: 300_000 }, async () => {
    const figures: [path: string, p50: number, p95: number][] = [];
    const measure = async (who: "root" | "admin", path: string): Promise<number[]> => {
      const times: number[] = [];
      for (const run of range(0, runs + 5)) {
        const began = performance.now();
        const { status, body } = await as[who]("GET", path);
        if (run >= 5) times.push(performance.now() - began);
        expect([path, status, body.success]).toEqual([path, 200, true]);
      }
      // The limit of calls begins anew.
      gateway.clock.now += 120_000;
      return times;
    };
    for (const [who, path] of lists()) {
      let times = await measure(who, path);
      for (let round = 1; round < rounds && percentile(times, 0.95) > goalMs; round += 1)
        times = await measure(who, path);
      figures.push([
        path.replace(String(team), "N"),
        percentile(times, 0.5),
        percentile(times, 0.95),
      ]);
    }
    console.log(
      figures
        .map(([path, p50, p95]) => `${p50.toFixed(1)} ${p95.toFixed(1)} ms  ${path}`)
        .join("\n"),
    );
    expect(figures.filter(([, , p95]) => p95 > goalMs)).toEqual([]);
  });
});
