/**
 * Attacks on the approval of a program: by who may not give it, by two at once, and by a program
 * that takes its key after its person has left or changed their mind.
 */
import { agentPaths, deviceGrant } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { dryRunHeader } from "@tollgate/contract/api/envelope.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";
import {
  createSignedInPrograms,
  type PersonChange,
  type SignedInPrograms,
  signInEndings,
} from "./signed-in-programs.ts";

describeVariants(testDatabases)("attacks on approvals of programs on $name", (database) => {
  let gateway: ManagementGateway;
  let programs: SignedInPrograms;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    programs = createSignedInPrograms(gateway);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const isSuccess = ({ body }: { body: { success: boolean } }) => body.success;
  const keysOf = async ({ id }: { id: number }) => {
    const { sql, read } = gateway.db;
    return await read(sql.selectFrom("tokens").selectAll().where("user_id", "=", id));
  };

  /** Each ends with what the attacker must not have. */
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    "an approval that is no plain yes": async () => {
      const { client } = await programs.addPerson();
      const started = await programs.begin();
      for (const approve of ["true", 1, null, [true], {}, undefined])
        expect(
          (
            await client("POST", "/api/agent/device/answer", {
              body: { user_code: started.user_code, approve },
            })
          ).body.code,
          String(approve),
        ).toBe("invalid_request");
      await programs.expectWaiting(started);
    },
    "an approval that was only tried": async () => {
      const { client } = await programs.addPerson();
      const started = await programs.begin();
      const { body } = await client("POST", "/api/agent/device/answer", {
        headers: { [dryRunHeader.name]: dryRunHeader.value },
        body: { user_code: started.user_code, approve: true },
      });
      expect(body).toMatchObject({ success: true, dry_run: true });
      await programs.expectWaiting(started);
    },
    "the device code of a program whose person approved another one": async () => {
      const person = await programs.addPerson();
      await programs.begin();
      const [mine, foreign] = [
        await programs.beginAt("192.0.2.1"),
        await programs.beginAt("203.0.113.5"),
      ];
      await programs.answer(person.client, mine.user_code);
      await programs.expectWaiting(foreign);
      expect((await programs.exchange(mine.device_code)).status).toBe(200);
    },
    "an approval by a management key, whatever its scopes": async () => {
      const person = await programs.addPerson();
      const body = {
        name: "all",
        scopes: ["tokens:read", "tokens:write"],
        lifetime_days: 30,
        current_password: password,
      };
      const made = await person.client("POST", "/api/management_key/", { body });
      expect(made.body.message).toBe("");
      const started = await programs.begin();
      for (const cookie of ["", "session=x"]) {
        const reply = await gateway.visitor("POST", "/api/agent/device/answer", {
          headers: { authorization: `Bearer ${made.body.data.key}`, cookie },
          body: { user_code: started.user_code, approve: true },
        });
        expect(reply.body.success).toBe(false);
      }
      await programs.expectWaiting(started);
    },
    "an approval in a session that has ended": async () => {
      const { client } = await programs.addPerson();
      const started = await programs.begin();
      await client("POST", "/api/user/logout");
      expect((await programs.answer(client, started.user_code)).status).toBe(401);
      await programs.expectWaiting(started);
    },

    "two people who approve one code at once: it is the first one's": async () => {
      for (let round = 0; round < 4; round += 1) {
        const [one, other] = [await programs.addPerson(), await programs.addPerson()];
        const started = await programs.begin();
        const answers = await Promise.all(
          [one, other, one, other].map(({ client }) => programs.answer(client, started.user_code)),
        );
        expect(answers.filter(isSuccess)).toHaveLength(1);
        const winner = answers.findIndex(isSuccess) % 2 === 0 ? one : other;
        const { access_token } = await programs.exchange(started.device_code);
        expect(await programs.use(access_token)).toBe(winner.username);
        const { sql, read } = gateway.db;
        const entries = sql.selectFrom("audit_entries").select("actor_id");
        const mine = entries.where("action", "=", "agent.approve");
        expect(await read(mine.where("actor_id", "in", [one.id, other.id]))).toEqual([
          { actor_id: winner.id },
        ]);
      }
    },
    "a code approved and denied at once: one answer counts": async () => {
      for (let round = 0; round < 4; round += 1) {
        const { client } = await programs.addPerson();
        const started = await programs.begin();
        const answers = await Promise.all(
          [true, false].map((approve) => programs.answer(client, started.user_code, approve)),
        );
        expect(answers.filter(isSuccess)).toHaveLength(1);
        const { status, error } = await programs.exchange(started.device_code);
        expect(error ?? status).toBe(answers[0]?.body.success ? 200 : "access_denied");
      }
    },
    "one code exchanged on three nodes at once": async () => {
      const person = await programs.addPerson();
      const { device_code } = await programs.approve(person.client);
      const nodes = Array.from({ length: 3 }, () => gateway.anotherNode());
      const body = { grant_type: deviceGrant, device_code };
      const replies = await Promise.all(
        [...nodes, ...nodes].map((ask) => ask("POST", agentPaths.token, body)),
      );
      const issued = replies.filter((reply) => "access_token" in reply);
      expect(issued).toHaveLength(1);
      expect(await keysOf(person)).toHaveLength(1);
    },
  };

  /** What happens to a person between their approval and the exchange, and must undo it. */
  const changes: Readonly<Record<string, PersonChange>> = {
    "has signed out all other sessions": (_, { client }) => client("DELETE", "/api/user/sessions"),
    ...signInEndings,
  };
  const cases = {
    ...attacks,
    ...Object.fromEntries(
      Object.entries(changes).map(([what, change]) => [
        `an approved code exchanged after its person ${what}`,
        async () => {
          const person = await programs.addPerson();
          const started = await programs.begin();
          // A recent sign-in is the proof that some of the changes ask for.
          const client = await gateway.signIn(person.username);
          await programs.answer(client, started.user_code);
          expect(await change(programs, { ...person, client })).toMatchObject({
            body: { success: true },
          });
          const reply = await programs.exchange(started.device_code);
          expect(reply).toMatchObject({ status: 400, error: "expired_token" });
          expect(reply.access_token).toBeUndefined();
          expect(await keysOf(person)).toEqual([]);
        },
      ]),
    ),
    "the rights that an administrator had while approving": async () => {
      const admin = await programs.addPerson({ role: 10 });
      const { device_code } = await programs.approve(admin.client);
      await programs.asRoot("PUT", "/api/user/", { body: { id: admin.id, role: 1 } });
      const { access_token, refresh_token } = await programs.exchange(device_code);
      for (const secret of [access_token, refresh_token]) {
        const headers = { authorization: `Bearer ${secret}` };
        expect((await gateway.visitor("GET", "/api/user/", { headers })).status).toBe(401);
      }
      expect(await programs.use(access_token)).toBe(admin.username);
    },
    "a person who signs out everywhere while the program takes its key": async () => {
      for (let round = 0; round < 6; round += 1) {
        const person = await programs.addPerson();
        const { device_code } = await programs.approve(person.client);
        const [reply] = await Promise.all([
          programs.exchange(device_code),
          person.client("DELETE", "/api/user/sessions"),
        ]);
        // Whichever was first, a key works only while its program is in the list of sessions.
        const listed = (await person.client("GET", "/api/user/sessions")).body.data;
        const works = (await programs.use(reply.access_token)) === person.username;
        expect(works).toBe(listed.length === 2);
      }
    },
  };

  test("at least seventeen are tried", () => {
    expect(Object.keys(cases).length).toBeGreaterThanOrEqual(17);
  });
  test.each(Object.entries(cases))("an attack fails: %s", async (_, attack) => await attack());

  // The last one, since root has no second factor either.
  test("an attack fails: an approval in a session that lacks the second factor of its role", async () => {
    const admin = await programs.addPerson({ role: 10 });
    const started = await programs.begin();
    const body = { key: "SecondFactorRequiredRole", value: "10" };
    expect((await programs.asRoot("PUT", "/api/option/", { body })).body.success).toBe(true);
    for (const act of [programs.find, programs.answer])
      expect((await act(admin.client, started.user_code)).body.code).toBe("second_factor_required");
    await programs.expectWaiting(started);
  });
});
