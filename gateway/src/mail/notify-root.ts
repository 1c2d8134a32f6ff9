/** Mails root about something that the gateway did on its own. */
import { roles, userStatus } from "@tollgate/contract/roles.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import { mailLanguage, noticeMail } from "./mail-messages.ts";
import { mailSiteOf } from "./mail-outbox.ts";
import type { Mailer } from "./mailer.ts";
import type { RootNotice } from "./root-notice.ts";

interface NotifyRootDeps {
  db: Database;
  options: OptionReader;
  mailer: Mailer;
  publicUrl: string | undefined;
}

export function notifyRoot(deps: NotifyRootDeps, notice: RootNotice): void {
  const { db, mailer } = deps;
  if (!mailer.isConfigured()) return;
  const roots = db.sql
    .selectFrom("users")
    .select(["email", "language"])
    .where("role", "=", roles.root)
    .orderBy("id")
    .limit(1);
  mailer.enqueue("notice", async () => {
    const [root] = await db.read(roots.where("status", "=", userStatus.enabled).where("email", "<>", ""));
    if (root === undefined) return undefined;
    return noticeMail({ to: root.email, language: mailLanguage(root.language) }, mailSiteOf(deps), notice);
  });
}
