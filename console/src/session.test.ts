import { beforeEach, expect, test, vi } from "vitest";

let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.resetModules();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

const load = () => import("./session.ts");

test("signing in stores the user under the keys that compatible consoles read", async () => {
  const { signIn, getSession } = await load();
  signIn({ username: "mira", role: 1 }, "sk-play");
  expect(JSON.parse(stored.get("user") ?? "")).toEqual({ username: "mira", role: 1 });
  expect(stored.get("token")).toBe("sk-play");
  expect(JSON.parse(stored.get("auth-storage") ?? "")).toEqual({
    state: { user: { username: "mira", role: 1 }, token: "sk-play", isAuthenticated: true },
    version: 0,
  });
  expect(getSession().user?.username).toBe("mira");
});

test("a user signed in by a compatible console is signed in here", async () => {
  stored.set(
    "auth-storage",
    JSON.stringify({ state: { user: { username: "mira", role: "10" }, isAuthenticated: true } }),
  );
  const { getSession, isAdmin } = await load();
  expect(getSession().user).toMatchObject({ username: "mira", role: 10 });
  expect(isAdmin(getSession().user)).toBe(true);
});

test("signing out removes the user and keeps theme and language", async () => {
  stored.set("theme", "dark");
  stored.set("language", "en");
  const { signIn, signOut, getSession } = await load();
  signIn({ username: "mira", role: 1 });
  signOut();
  expect([...stored.keys()].sort()).toEqual(["language", "theme"]);
  expect(getSession().user).toBeNull();
});

test("invalid stored data means signed out, not a crash", async () => {
  stored.set("user", "{broken");
  stored.set("status", "null");
  const { getSession } = await load();
  expect(getSession().user).toBeNull();
});

test("an update merges fields, and only a non-empty key replaces the stored one", async () => {
  const { signIn, updateUser, updateToken, getSession } = await load();
  signIn({ username: "mira", role: 1 }, "sk-old");
  updateUser({ display_name: "Mira" });
  expect(getSession().user).toEqual({ username: "mira", role: 1, display_name: "Mira" });
  updateToken("");
  updateToken(undefined);
  expect(getSession().token).toBe("sk-old");
  updateToken("sk-new");
  expect(stored.get("token")).toBe("sk-new");
});

test("the status writes its own keys, and removes those that it no longer contains", async () => {
  stored.set("chat_link", "https://old.example.com");
  const { saveStatus, getSession, buildQuotaStyle } = await load();
  saveStatus({
    system_name: "Gate",
    quota_per_unit: 1000,
    display_in_currency: false,
    chat_link: "",
  });
  expect(stored.get("system_name")).toBe("Gate");
  expect(stored.get("quota_per_unit")).toBe("1000");
  expect(stored.get("display_in_currency")).toBe("false");
  expect(stored.has("chat_link")).toBe(false);
  expect(buildQuotaStyle(getSession().status, "/users")).toEqual({
    perUnit: 1000,
    inCurrency: false,
    digits: 4,
  });
});

test("settings stored as text by older consoles are converted", async () => {
  stored.set("display_in_currency", "true");
  stored.set("quota_per_unit", "250000");
  const { getSession, buildQuotaStyle } = await load();
  expect(buildQuotaStyle(getSession().status, "/users")).toEqual({
    perUnit: 250_000,
    inCurrency: true,
    digits: 4,
  });
});

test.each([
  ["/dashboard", 2],
  ["/tokens", 2],
  ["/tokens/edit/7", 2],
  ["/tokens-of-another-page", "own"],
  ["/users", 4],
  ["/logs", 4],
  ["/channels/edit/7", 4],
  ["/channels/costs", "own"],
  ["/users/batch", "own"],
  ["/tokens/batch", "own"],
  ["/models/one", "own"],
  ["/budgets", "own"],
  ["/", "own"],
])("currency on %s has %s decimals", async (path, digits) => {
  const { getSession, buildQuotaStyle } = await load();
  expect(buildQuotaStyle(getSession().status, path).digits).toBe(digits);
});

test("the settings in the page are used only without a stored status", async () => {
  stored.set("status", JSON.stringify({ system_name: "Stored" }));
  const { fillStatus, getSession } = await load();
  fillStatus({ system_name: "Page" });
  expect(getSession().status.system_name).toBe("Stored");
});
