import { describe, expect, test } from "vitest";
import { checkMayDo, checkMaySwitch, listStandings, mayDo, viewTeam } from "./team-rules.ts";

const team = { owner_id: 5 };
const caller = (id: number, role = 1) => ({ id, role });
const member = (role: "admin" | "member" | "viewer", left_at: number | null = null) => ({
  role,
  left_at,
});
const acts = ["know", "see", "use", "manage", "pay", "own", "administer"] as const;

describe("the rights of a caller in a team", () => {
  test.each([
    ["an outsider", caller(9), undefined, []],
    ["a former admin", caller(9), member("admin", 1), []],
    ["a former owner", caller(5), member("admin", 1), []],
    ["an owner without a membership", caller(5), undefined, []],
    ["a viewer", caller(9), member("viewer"), ["know", "see"]],
    ["a member", caller(9), member("member"), ["know", "use"]],
    ["an admin", caller(9), member("admin"), ["know", "see", "use", "manage", "pay"]],
    ["the owner", caller(5), member("admin"), ["know", "see", "use", "manage", "pay", "own"]],
    [
      "an administrator of the site",
      caller(9, 10),
      undefined,
      ["know", "see", "manage", "pay", "own", "administer"],
    ],
    ["root in the team", caller(9, 100), member("member"), acts],
  ] as const)("of %s", (_, who, row, rights) => {
    const standings = listStandings(who, team, row);
    expect(acts.filter((act) => mayDo(standings, act))).toEqual([...rights]);
    for (const act of acts) {
      const check = () => checkMayDo(standings, act);
      if (mayDo(standings, act)) expect(check).not.toThrow();
      // Whoever may not know the team learns nothing of it.
      else if (mayDo(standings, "know"))
        expect(check).not.toThrow(expect.objectContaining({ code: "team_not_found" }));
      else expect(check).toThrow(expect.objectContaining({ code: "team_not_found" }));
    }
  });

  test.each([
    ["a member the own key", "member", 9, { user_id: 9, service: 0 }, 1, true],
    ["a member the key of another", "member", 9, { user_id: 8, service: 0 }, 2, false],
    ["a member the key of a service", "member", 9, { user_id: 0, service: 1 }, 2, false],
    ["a viewer the own key of before", "viewer", 9, { user_id: 9, service: 0 }, 1, false],
    ["an admin stops the key of a member", "admin", 9, { user_id: 8, service: 0 }, 2, true],
    ["an admin starts the key of a member", "admin", 9, { user_id: 8, service: 0 }, 1, false],
    ["an admin the key of a service", "admin", 9, { user_id: 0, service: 1 }, 1, true],
    [
      "a service is nobody's, also not account 0's",
      "member",
      0,
      { user_id: 0, service: 1 },
      1,
      false,
    ],
  ] as const)("%s", (_, role, id, token, wanted, isAllowed) => {
    const standings = listStandings(caller(id), team, member(role));
    const check = () => checkMaySwitch(caller(id), standings, { ...token, status: 1 }, wanted);
    if (isAllowed) expect(check).not.toThrow();
    else expect(check).toThrow();
  });

  test("a member sees the balance only where the team lets members, and never the note", () => {
    const row = {
      ...{
        id: 1,
        uuid: "",
        name: "t",
        note: "secret",
        group: "g",
        models: "",
        status: 1,
        wallet_id: 1,
        owner_id: 5,
      },
      ...{
        rpm_limit: 0,
        tpm_limit: 0,
        max_parallel_requests: 0,
        external_id: null,
        managed_by: "",
        created_at: 0,
        updated_at: 0,
      },
      ...{ balance: 9, held: 1, debt: 0, members: 2, keys: 3 },
    };
    const shown = (role: "admin" | "member" | "viewer", members_see_balance: 0 | 1) =>
      viewTeam({ ...row, members_see_balance }, listStandings(caller(9), team, member(role)));
    expect(shown("member", 0)).toMatchObject({
      balance: null,
      held: null,
      debt: null,
      note: "",
      role: "member",
    });
    expect(shown("member", 1)).toMatchObject({ balance: 9, note: "" });
    expect(shown("viewer", 0)).toMatchObject({ balance: 9, note: "" });
    expect(shown("admin", 0)).toMatchObject({ balance: 9, note: "secret" });
  });
});
