/** Mails root about something that the gateway did by itself. */
import { roles, userStatus } from "@tollgate/contract/users.ts";
import type { Options } from "../settings/options.ts";
import type { Database } from "../storage/database.ts";
import { noticeLetter } from "./mail-texts.ts";
import type { Mailer } from "./mailer.ts";
import { siteOf } from "./post-office.ts";

interface Parts {
  db: Database;
  options: Options;
  mailer: Mailer;
  publicUrl: string | undefined;
}

export interface Notice {
  subject: string;
  text: string;
}

export function notifyRoot(parts: Parts, notice: Notice): void {
  const { db, mailer } = parts;
  if (!mailer.isConfigured()) return;
  const roots = db.sql.selectFrom("users").select("email").where("role", "=", roles.root).orderBy("id").limit(1);
  mailer.post("notice", async () => {
    const [root] = await db.read(roots.where("status", "=", userStatus.enabled).where("email", "<>", ""));
    return root && noticeLetter(root.email, siteOf(parts), notice);
  });
}
