// Keys that move into a team: who agrees, to what, what is no longer agreed to, and what races end as.
import type { KeyMove, KeyOffer } from "@tollgate/contract/accounts/team-key-moves.ts";
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addSettledCall } from "./seed-logs.ts";

const people = ["site", "owner", "admin", "member", "viewer", "former", "outsider"] as const;
type KeyMover = (typeof people)[number];

describeVariants(testDatabases)("keys that move into a team on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  const ids = {} as Record<KeyMover, number>;
  const as = {} as Record<KeyMover, TestApiClient>;
  let team: Team;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    await root("PUT", "/api/option/", {
      body: { key: "GroupRatio", value: '{"default":1,"vip":2,"lab":1}' },
    });
    await root("PUT", "/api/option/", { body: { key: "SelectableGroups", value: "vip" } });
    for (const person of people) {
      ids[person] = (await gateway.addUser(person, person === "site" ? { role: 10 } : {})).id;
      as[person] = await gateway.signIn(person);
    }
    const input = { name: "Search", owner_id: ids.owner, group: "lab", models: "small,large" };
    team = (await as.site("POST", "/api/team/", { body: input })).body.data;
    for (const role of ["admin", "member", "viewer"] as const) await seat(ids[role], role);
    await seat(ids.former, "member");
    await unseat(ids.former);
  });
  afterAll(() => gateway.close());

  const seat = (user_id: number, role: string) =>
    as.site("PUT", `/api/team/${team.id}/member`, { body: { user_id, role } });
  const unseat = (user_id: number) =>
    as.site("POST", `/api/team/${team.id}/remove_member`, { body: { user_id } });
  const keyOf = async (client: TestApiClient, more: object = {}): Promise<number> => {
    const made = await client("POST", "/api/token/", { body: { name: "mine", ...more } });
    expect(made.body, made.body.message).toMatchObject({ success: true });
    return made.body.data.id;
  };
  const ask = async (client: TestApiClient, verb: string, body: object) =>
    (await client("POST", `/api/team/${team.id}/${verb}`, { body })).body;
  const offer = (client: TestApiClient, token_id: number, preview = false) =>
    ask(client, "offer_key", { token_id, preview });
  const answer = (client: TestApiClient, token_id: number, accept = true) =>
    ask(client, "answer_key", { token_id, accept });
  const offers = async (client: TestApiClient): Promise<KeyOffer[]> =>
    (await client("GET", `/api/team/${team.id}/key_offers`)).body.data;
  const stored = async (id: number) => {
    const { sql, read } = gateway.db;
    return (await read(sql.selectFrom("tokens").selectAll().where("id", "=", id)))[0];
  };
  const answerCode = ({ success, code }: { success: boolean; code?: string }) => success || code;

  test("the owner of a key offers it, an admin takes it, and both are shown what no longer holds", async () => {
    const id = await keyOf(as.member, { models: "small,tiny", groups: "default,vip" });
    const move: KeyMove = {
      ...{ token_id: id, name: "mine", username: "member" },
      ...{ group_from: "default", group_to: "lab", models_lost: ["tiny"], models_to: [] },
      ...{ groups_lost: ["default"], loses_all_groups: false, ends_bodies: false },
    };
    expect((await offer(as.member, id, true)).data).toEqual({ ...move, is_moved: false });
    expect(await offers(as.admin)).toEqual([]);
    expect((await offer(as.member, id)).data).toEqual({ ...move, is_moved: false });
    expect(await stored(id)).toMatchObject({ team_id: null });
    for (const person of ["admin", "member", "viewer", "site"] as const)
      expect(await offers(as[person])).toMatchObject([{ ...move, is_stale: false }]);
    // Neither the owner nor who only looks decides for the team.
    for (const person of ["member", "viewer"] as const)
      expect(await answer(as[person], id)).toMatchObject({ code: "team_role_insufficient" });
    expect(await answer(as.admin, id)).toMatchObject({ success: true });
    expect(await stored(id)).toMatchObject({
      team_id: team.id,
      user_id: ids.member,
      models: "small,tiny",
    });
    expect(await offers(as.admin)).toEqual([]);
    expect((await as.member("GET", "/api/token/")).body.data).toEqual([]);
    const [entry] = (await root("GET", "/api/audit/?size=1")).body.data;
    expect(entry).toMatchObject({ action: "team.move_key", actor: "admin" });
  });

  test("a key of somebody else, of a service, of a sign-in or of a team is not moved, and outsiders find no team", async () => {
    const theirs = await keyOf(as.outsider);
    for (const person of ["owner", "member"] as const)
      expect(await offer(as[person], theirs)).toMatchObject({ code: "token_not_found" });
    for (const person of ["outsider", "former"] as const)
      expect(await offer(as[person], await keyOf(as[person]))).toMatchObject({
        code: "team_not_found",
      });
    expect(await offer(as.viewer, await keyOf(as.viewer))).toMatchObject({
      code: "team_role_insufficient",
    });
    const playground = await as.owner("POST", "/api/user/playground_token", { body: {} });
    expect(playground.body.success).toBe(true);
    const { sql, read } = gateway.db;
    const [session] = await read(
      sql.selectFrom("tokens").select("id").where("session_hash", "is not", null),
    );
    expect(await offer(as.owner, session?.id ?? 0)).toMatchObject({ code: "key_not_movable" });
    const service = await ask(as.owner, "token", { name: "ci", service: true });
    expect(await ask(as.site, "release_key", { token_id: service.data.id })).toMatchObject({
      code: "key_not_movable",
    });
  });

  test("an admin of the team moves an own key at once, and only the site gives it back", async () => {
    const id = await keyOf(as.admin);
    expect((await offer(as.admin, id)).data).toMatchObject({
      ...{ is_moved: true, models_to: ["small", "large"] },
    });
    expect(await stored(id)).toMatchObject({ team_id: team.id });
    for (const person of ["owner", "admin", "member"] as const)
      expect(await ask(as[person], "release_key", { token_id: id })).toMatchObject({
        code: "insufficient_role",
      });
    const shown = await ask(as.site, "release_key", { token_id: id, preview: true });
    expect(shown.data).toMatchObject({ group_from: "lab", group_to: "default" });
    expect(await stored(id)).toMatchObject({ team_id: team.id });
    expect(await ask(as.site, "release_key", { token_id: id })).toMatchObject({ success: true });
    expect(await stored(id)).toMatchObject({ team_id: null, user_id: ids.admin });
    const own = (await as.admin("GET", "/api/token/")).body.data;
    expect(own.map((token: { id: number }) => token.id)).toContain(id);
  });

  test("what has changed since the offer was not agreed to: the key, the group or the models", async () => {
    const id = await keyOf(as.member);
    await offer(as.member, id);
    await root("PUT", "/api/team/", { body: { id: team.id, group: "vip" } });
    expect(await offers(as.admin)).toMatchObject([{ token_id: id, is_stale: true }]);
    expect(await answer(as.admin, id)).toMatchObject({ code: "changed_meanwhile" });
    await offer(as.member, id);
    const edited = await as.member("PUT", "/api/token/", { body: { id, models: "large" } });
    expect(edited.body).toMatchObject({ success: true });
    expect(await answer(as.admin, id)).toMatchObject({ code: "changed_meanwhile" });
    // A name or a note of the team changes nothing for the key.
    await offer(as.member, id);
    await root("PUT", "/api/team/", { body: { id: team.id, note: "n", group: "vip" } });
    expect(await answer(as.admin, id)).toMatchObject({ success: true });
    await root("PUT", "/api/team/", { body: { id: team.id, group: "lab" } });
  });

  test("an offer ends when it is withdrawn, refused or a week old, when the owner leaves and with the key", async () => {
    const open = async () => {
      const id = await keyOf(as.member);
      expect(await offer(as.member, id)).toMatchObject({ success: true });
      return id;
    };
    const isOver = async (id: number) =>
      expect(await answer(as.admin, id)).toMatchObject({ code: "key_offer_not_found" });
    const withdrawn = await open();
    expect(await answer(as.outsider, withdrawn, false)).toMatchObject({ code: "team_not_found" });
    expect(await answer(as.member, withdrawn, false)).toMatchObject({ success: true });
    await isOver(withdrawn);
    const refused = await open();
    expect(await answer(as.owner, refused, false)).toMatchObject({ success: true });
    await isOver(refused);
    const deleted = await open();
    await as.member("DELETE", `/api/token/${deleted}`);
    await isOver(deleted);
    const left = await open();
    await unseat(ids.member);
    await isOver(left);
    await seat(ids.member, "member");
    await isOver(left);
    const old = await open();
    gateway.clock.now += 8 * 86_400_000;
    as.admin = await gateway.signIn("admin");
    as.member = await gateway.signIn("member");
    as.owner = await gateway.signIn("owner");
    as.site = await gateway.signIn("site");
    root = await gateway.signIn("root");
    await isOver(old);
    // A team that is disabled takes no key.
    const late = await open();
    await root("PUT", "/api/team/", { body: { id: team.id, status: 2 } });
    expect(await answer(as.admin, late)).toMatchObject({ code: "changed_meanwhile" });
    await root("PUT", "/api/team/", { body: { id: team.id, status: 1 } });
  });

  test("of acts that race for one key one wins, and the key is where it says", async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = await keyOf(as.member);
      await offer(as.member, id);
      const rivals = [
        () => answer(as.admin, id),
        () => answer(as.owner, id),
        () => answer(as.member, id, false),
        () => as.member("PUT", "/api/token/", { body: { id, models: "large" } }),
        ...(round % 2 === 0 ? [() => as.member("DELETE", `/api/token/${id}`)] : []),
        ...(round % 3 === 0 ? [() => unseat(ids.member)] : []),
      ];
      const turned = [...rivals.slice(round), ...rivals.slice(0, round)];
      const replies = await Promise.all(turned.map((act) => act()));
      expect(replies).toHaveLength(rivals.length);
      const taken = await stored(id);
      const { sql, read } = gateway.db;
      // No offer outlives a move, and a member who left has no working key in the team.
      const open = (await offers(as.owner)).filter(({ token_id }) => token_id === id);
      if (taken?.team_id !== null) expect(open).toEqual([]);
      const [seated] = await read(
        sql
          .selectFrom("team_members")
          .select("left_at")
          .where("team_id", "=", team.id)
          .where("user_id", "=", ids.member),
      );
      if (seated?.left_at !== null && taken?.team_id === team.id) expect(taken.status).toBe(2);
      await seat(ids.member, "member");
      await answer(as.member, id, false);
    }
  });

  test("what an account paid before the move is shown to nobody in the team, and sums agree", async () => {
    const id = await keyOf(as.owner);
    const owner = { id: ids.owner, username: "owner" };
    const day = 86_400_000;
    const month = new Date(gateway.clock.now).toISOString().slice(0, 7);
    const call = (quota: number, team_id?: number) =>
      addSettledCall(gateway, owner, gateway.clock.now - 1_000, {
        ...{ quota, token_id: id },
        ...(team_id !== undefined && { team_id }),
      });
    await call(1_000);
    expect((await offer(as.owner, id)).data).toMatchObject({ is_moved: true });
    await call(20, team.id);
    gateway.clock.now += day;
    as.owner = await gateway.signIn("owner");
    await call(300, team.id);
    const report = async (query: string) =>
      (await as.owner("GET", `/api/report/?month=${month}&by=key${query}`)).body.data;
    const spent = (rows: { id: number; quota: number }[]) =>
      Object.fromEntries(rows.map(({ id, quota }) => [id, quota]));
    await eventually(async () => {
      const ofTeam = await report(`&team_id=${team.id}`);
      // The day of the move is of two wallets, so it stands without the name of the key.
      expect(spent(ofTeam.rows)).toMatchObject({ [id]: 300, 0: 20 });
      expect(ofTeam.total.quota).toBe(320);
      expect(spent((await report("")).rows)).toEqual({ 0: 1_000 });
    });
    const statement = (await as.owner("GET", `/api/team/${team.id}/statement?month=${month}`)).body;
    expect(spent(statement.data.keys)).toMatchObject({ [id]: 300, 0: 20 });
    const read = async (path: string) => (await as.owner("GET", path)).body.data;
    const { token_logs } = await read(`/api/user/dashboard?team_id=${team.id}`);
    expect(token_logs.map((row: { Quota: number }) => row.Quota)).toEqual([300]);
    const { series } = await read(`/api/user/dashboard/spending?by=key&team_id=${team.id}`);
    const named = series.find((row: { id: string }) => row.id === String(id));
    // Short ranges are read from the log, which says of each call who paid.
    const spentByKey = named.quota.reduce((sum: number, units: number) => sum + units, 0);
    expect([300, 320]).toContain(spentByKey);
    root = await gateway.signIn("root");
    as.site = await gateway.signIn("site");
    as.admin = await gateway.signIn("admin");
    as.member = await gateway.signIn("member");
  });

  test("two admins who accept at once move the key once", async () => {
    const id = await keyOf(as.member);
    await offer(as.member, id);
    const before = (await stored(id))?.updated_at ?? 0;
    const replies = await Promise.all([as.admin, as.owner, as.site].map((one) => answer(one, id)));
    expect(replies.map(answerCode).filter((code) => code === true)).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ team_id: team.id });
    expect((await stored(id))?.updated_at).toBeGreaterThan(before);
  });

  test("a move passes no limit on the number of keys, however many race", async () => {
    await root("PUT", "/api/option/", { body: { key: "TokensPerUserMax", value: "12" } });
    const { sql, read } = gateway.db;
    const count = async (teamId: number | null) =>
      (
        await read(
          sql
            .selectFrom("tokens")
            .select("id")
            .where("user_id", "=", ids.owner)
            .where("session_hash", "is", null)
            .where("team_id", teamId === null ? "is" : "=", teamId),
        )
      ).length;
    const made = await Promise.all(Array.from({ length: 10 }, () => keyOf(as.owner)));
    await Promise.all(made.map((id) => offer(as.owner, id)));
    const more = await Promise.all(Array.from({ length: 10 }, () => keyOf(as.owner)));
    const replies = await Promise.all(more.map((id) => offer(as.owner, id)));
    expect(replies.map(answerCode)).toContain("too_many_tokens");
    expect(await count(team.id)).toBe(12);
    const back = await Promise.all(
      made.map((token_id) => ask(as.site, "release_key", { token_id })),
    );
    expect(back.map(answerCode)).toContain("too_many_tokens");
    expect(await count(null)).toBe(12);
  });
});
