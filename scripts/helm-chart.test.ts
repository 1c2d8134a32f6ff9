// The parts of the Helm chart agree with each other and with the gateway; Helm itself judges it in
// `npm run package -- chart`.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import gatewayPackage from "../gateway/package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const chart = join(root, "deploy/helm/tollgate");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const { parse } = createRequire(join(root, "gateway/package.json"))(
  "yaml",
) as typeof import("yaml");

interface SchemaPart {
  type?: string;
  properties?: Record<string, SchemaPart>;
  additionalProperties?: unknown;
}

const values = parse(read("deploy/helm/tollgate/values.yaml")) as Record<string, unknown>;
const schema = JSON.parse(read("deploy/helm/tollgate/values.schema.json")) as SchemaPart;
const templates = readdirSync(join(chart, "templates"))
  .map((file) => readFileSync(join(chart, "templates", file), "utf8"))
  .join("\n");

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Paths of single values, and of what users fill freely. */
const pathsOfValues = (group: Record<string, unknown>, part: SchemaPart): string[] =>
  Object.entries(group).flatMap(([name, value]) => {
    const inner = part.properties?.[name];
    return isGroup(value) && inner?.properties
      ? pathsOfValues(value, inner).map((path) => `${name}.${path}`)
      : [name];
  });
const pathsOfSchema = ({ properties = {} }: SchemaPart): string[] =>
  Object.entries(properties).flatMap(([name, part]) =>
    part.properties ? pathsOfSchema(part).map((path) => `${name}.${path}`) : [name],
  );

test("the chart has the version of the gateway", () => {
  const { version, appVersion } = parse(read("deploy/helm/tollgate/Chart.yaml")) as Record<
    string,
    string
  >;
  expect({ version, appVersion }).toEqual({
    version: gatewayPackage.version,
    appVersion: gatewayPackage.version,
  });
});

test("every value has a default and a place in the schema, and no other is taken", () => {
  // Helm adds `global` to the values of every chart.
  const described = pathsOfSchema(schema).filter((path) => path !== "global");
  expect(pathsOfValues(values, schema).sort()).toEqual(described.sort());
  expect(schema.additionalProperties).toBe(false);
});

test("templates read every value, and no other", () => {
  const used = new Set(
    [...templates.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = ""]) => path),
  );
  const known = pathsOfValues(values, schema);
  const isWithin = (path: string, of: string): boolean => path === of || of.startsWith(`${path}.`);
  for (const path of used)
    expect(
      known.filter((one) => isWithin(path, one)),
      path,
    ).not.toEqual([]);
  for (const one of known)
    expect(
      [...used].filter((path) => isWithin(path, one)),
      one,
    ).not.toEqual([]);
});

test("variables that templates set exist", () => {
  const page = read("docs/configuration.md");
  const names = [...templates.matchAll(/(?:- name: |")([A-Z][A-Z_]{3,})/g)].map(
    ([, name = ""]) => name,
  );
  expect(names).toContain("SHUTDOWN_GRACE_SECONDS");
  for (const name of names) expect(page).toContain(`| \`${name}\``);
});

test("the pod runs as the image's user, on the image's port", () => {
  const image = read("scripts/oci-image.ts");
  expect(templates).toContain("runAsUser: 65532");
  expect(image).toContain("65532");
  expect(templates).toContain("containerPort: 3000");
  expect(image).toContain("PORT=3000");
});
