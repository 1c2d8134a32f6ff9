import {
  quotedSecret,
  runsLeft,
  secretSpellings,
} from "@tollgate/tests/support/secret-spellings.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stripSecrets } from "./mcp-secrets.ts";

test("a secret is replaced in texts, names of members and JSON within texts, and numbers stay", {
  tags: ["MC-03"],
}, () => {
  const secret = 'pass"word-12345678';
  const value = {
    text: `got ${secret}.`,
    json: JSON.stringify({ authorization: secret }),
    [secret]: [secret, 12_345_678, null, true],
    count: 12_345_678,
  };
  const clean = stripSecrets(value, [secret, "12345678"]);
  expect(JSON.stringify(clean)).not.toContain("word-");
  expect(clean).toMatchObject({
    text: "got [key].",
    count: 12_345_678,
    "[key]": ["[key]", 12_345_678, null, true],
  });
});

test("no secret of eight characters or more is left in any value, and without one the value is the same", {
  tags: ["MC-03"],
}, () => {
  fc.assert(
    fc.property(
      fc.object({ maxDepth: 3 }),
      fc.string({ minLength: 8, maxLength: 20 }),
      (value, secret) => {
        const json = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
        // The placeholder itself could be a part of a secret that is a row of brackets.
        fc.pre(!"[key][key]".includes(secret) && !/[[\]]/.test(secret));
        const clean = stripSecrets({ ...json, quoted: `x ${secret} y`, [secret]: [secret] }, [
          secret,
        ]);
        const texts: string[] = [];
        JSON.stringify(clean, (name, member: unknown) => {
          texts.push(name, ...(typeof member === "string" ? [member] : []));
          return member;
        });
        expect(texts.some((text) => text.includes(secret))).toBe(false);
        expect(stripSecrets(json, ["short"])).toEqual(json);
      },
    ),
  );
});

test.each(secretSpellings)(
  "no run of a secret is left of it in another spelling: %s",
  {
    tags: ["MC-03"],
  },
  (_, said, hidden = said) => {
    const value = {
      content: [{ type: "text", text: `it sent <${said}>` }],
      [`<${said}>`]: { deep: [said] },
    };
    const clean = JSON.stringify(stripSecrets(value, [`Bearer ${quotedSecret}`]));
    expect(clean).toContain("it sent <");
    expect(runsLeft(clean, hidden)).toEqual([]);
  },
);

test("a long text stays whole, and a secret at its end is found", () => {
  const text = "the words of a document, ".repeat(20_000);
  const clean = stripSecrets({ text: text + [...quotedSecret].join(" ") }, [quotedSecret]);
  expect(clean.text).toBe(`${text}[key]`);
});
