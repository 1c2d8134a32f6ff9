import { expect, test } from "vitest";
import { buildOptionReader } from "../../../settings/live-options.ts";
import { listGifts, parseRegistrationInput } from "./registration-rules.ts";

const options = (entries: Record<string, string> = {}) =>
  buildOptionReader(new Map(Object.entries(entries)));
const body = { username: "mira", password: "correct horse" };

test("without verification a registration needs neither address nor code", () => {
  expect(parseRegistrationInput({ ...body, verification_code: "x" }, options())).toEqual({
    ...body,
    email: "",
    code: undefined,
    invitation: "",
    teamInvitation: "",
  });
});

test("a link into a team opens what is closed where the site lets it, and counts for nothing elsewhere", () => {
  const linked = { ...body, team_invitation: "a link" };
  const closed = { RegisterEnabled: "false" };
  const letting = { InvitesMayRegister: "true" };
  const parse = (input: typeof body, entries: Record<string, string>) =>
    parseRegistrationInput(input, options(entries)).teamInvitation;
  expect(parse(linked, { ...closed, ...letting })).toBe("a link");
  expect(parse(linked, letting)).toBe("");
  expect(() => parse(linked, closed)).toThrow();
  expect(() => parse(body, { ...closed, ...letting })).toThrow();
  const withoutPasswords = { ...closed, ...letting, PasswordRegisterEnabled: "false" };
  expect(() => parse(linked, withoutPasswords)).toThrow();
});

test("both names of the invitation code are read, and addresses are compared in lower case", () => {
  expect(
    parseRegistrationInput({ ...body, aff_code: " Ab3x ", email: "Mira@Example.ORG" }, options()),
  ).toMatchObject({
    invitation: "Ab3x",
    email: "mira@example.org",
  });
  expect(
    parseRegistrationInput({ ...body, aff_code: "old", invitation_code: "new" }, options())
      .invitation,
  ).toBe("new");
});

test("only exact domains of the list are accepted", () => {
  const restricted = options({
    EmailDomainRestrictionEnabled: "true",
    EmailDomainWhitelist: "example.org,Example.com",
  });
  expect(parseRegistrationInput({ ...body, email: "a@example.COM" }, restricted).email).toBe(
    "a@example.com",
  );
  for (const email of ["a@notexample.org", "a@sub.example.org", "a@example.org.evil.com"])
    expect(() => parseRegistrationInput({ ...body, email }, restricted), email).toThrow(
      "Mail addresses of this domain",
    );
});

test("gifts of 0 are left out, and an invitation gives one to both sides", () => {
  const all = options({ QuotaForNewUser: "1", QuotaForInvitee: "2", QuotaForInviter: "3" });
  expect(listGifts("mira", false, options())).toEqual([]);
  expect(listGifts("mira", false, all).map(({ to, amount }) => [to, amount])).toEqual([
    ["newcomer", 1],
  ]);
  expect(listGifts("mira", true, all).map(({ to, amount }) => [to, amount])).toEqual([
    ["inviter", 3],
    ["newcomer", 2],
    ["newcomer", 1],
  ]);
});
