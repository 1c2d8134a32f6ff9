/**
 * The first parts of the console's paths. Every other path is an API's or a mistake, and gets JSON.
 */
export const consoleSections: readonly string[] = [
  "",
  "about",
  "alerts",
  "budgets",
  "channels",
  "chat",
  "dashboard",
  "device",
  "invitation",
  "key",
  "login",
  "logs",
  "models",
  "oauth",
  "playground",
  "redemptions",
  "reference",
  "register",
  "report",
  "reset",
  "runs",
  "settings",
  "status",
  "teams",
  "tokens",
  "topup",
  "user",
  "users",
];

export const isConsolePath = (path: string): boolean =>
  consoleSections.includes(path.split("/")[1] ?? "");
