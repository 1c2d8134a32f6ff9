import { expect, test } from "vitest";
import { listIdleVariables } from "./idle-variables.ts";

test("a variable without the one that it needs is named, with what to do", () => {
  expect(
    listIdleVariables(
      { METRICS_HOST: "0.0.0.0", DATABASE_CONNECTIONS: "8", METRICS_TOKEN: "x" },
      true,
    ),
  ).toEqual([
    "DATABASE_CONNECTIONS has no effect: it needs DATABASE_URL. Set that, or remove it",
    "METRICS_HOST has no effect: it needs METRICS_PORT. Set that, or remove it",
  ]);
});

test("with it, under any of its names, or empty, it is not", () => {
  const environment = { SQL_DSN: "postgres://one", DATABASE_CONNECTIONS: "8", METRICS_HOST: "" };
  expect(listIdleVariables(environment, true)).toEqual([]);
});

test("the first password of root does nothing once root exists", () => {
  const environment = { INITIAL_ROOT_PASSWORD: "a password" };
  expect(listIdleVariables(environment, true)).toEqual([]);
  expect(listIdleVariables(environment, false).join()).toMatch(
    /^INITIAL_ROOT_PASSWORD has no effect: root exists/,
  );
});
