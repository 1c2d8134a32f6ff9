import { expect, test } from "vitest";
import * as z from "zod/mini";
import { buildContractResolver } from "./contract-resolver.ts";

const schema = z.object({
  name: z.string().check(z.minLength(2, "too short"), z.regex(/^[a-z]+$/, "letters only")),
  models: z.array(z.object({ ratio: z.pipe(z.string(), z.transform(Number)) })),
  limits: z.object({ calls: z.number("a number, please") }),
});
const options = { fields: {}, shouldUseNativeValidation: false };
const resolve = buildContractResolver(schema);
const check = (values: object) => resolve(values as never, undefined, options);

test("valid values are the output of the schema, without errors", async () => {
  expect(await check({ name: "ab", models: [{ ratio: "2" }], limits: { calls: 1 } })).toEqual({
    values: { name: "ab", models: [{ ratio: 2 }], limits: { calls: 1 } },
    errors: {},
  });
});

test("each field has its first issue, nested fields at their path, and no values are returned", async () => {
  expect(await check({ name: "1", models: [{ ratio: 2 }], limits: { calls: "x" } })).toEqual({
    values: {},
    errors: {
      name: { type: "contract", message: "too short" },
      models: [{ ratio: { type: "contract", message: expect.any(String) } }],
      limits: { calls: { type: "contract", message: "a number, please" } },
    },
  });
});

test("an issue about the whole form is the root error", async () => {
  const always = z.object({}).check(z.refine(() => false, "nothing changed"));
  expect(await buildContractResolver(always)({}, undefined, options)).toEqual({
    values: {},
    errors: { root: { type: "contract", message: "nothing changed" } },
  });
});
