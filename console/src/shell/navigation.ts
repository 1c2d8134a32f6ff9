import {
  ChartColumn,
  CreditCard,
  DollarSign,
  FileText,
  Gift,
  House,
  Info,
  type LucideIcon,
  MessageSquare,
  Settings,
  Users,
  Zap,
} from "lucide-react";
import type { SiteStatus } from "../session.ts";
import { type PageRow, pageTable } from "./page-table.ts";

/**
 * A hairline and space divide the halves: accounts, keys and money first; then models and what
 * explains the gateway.
 */
type HeaderMark = { icon: LucideIcon; half: "manage" | "explore" };

/** The pages of the header. The entries of a half are consecutive. */
const headerMarks: Readonly<Record<string, HeaderMark>> = {
  "/dashboard": { icon: House, half: "manage" },
  "/channels": { icon: Zap, half: "manage" },
  "/tokens": { icon: CreditCard, half: "manage" },
  "/logs": { icon: FileText, half: "manage" },
  "/users": { icon: Users, half: "manage" },
  "/redemptions": { icon: Gift, half: "manage" },
  "/topup": { icon: DollarSign, half: "manage" },
  "/models": { icon: ChartColumn, half: "explore" },
  "/chat": { icon: MessageSquare, half: "explore" },
  "/about": { icon: Info, half: "explore" },
  "/settings": { icon: Settings, half: "explore" },
};

export type NavigationEntry = PageRow & HeaderMark;

export type PageReader = {
  isAdmin: boolean;
  isRoot: boolean;
  status: Pick<SiteStatus, "features" | "chat_link" | "status_page">;
};

/** `listVisiblePages` are those that the reader may open on this server. */
export function listVisiblePages({ isAdmin, isRoot, status }: PageReader): PageRow[] {
  const { features = [], chat_link = "", status_page } = status;
  return pageTable.filter(
    ({ least, feature, needs }) =>
      (least === undefined || (least === "admin" ? isAdmin : isRoot)) &&
      (feature === undefined || features.includes(feature)) &&
      (needs !== "chatLink" || chat_link !== "") &&
      (needs !== "statusPage" || status_page === "users" || status_page === "public"),
  );
}

/**
 * `listHeaderEntries` keeps the order of the table. The menu of the account leads ordinary users to
 * their settings.
 */
export const listHeaderEntries = (pages: readonly PageRow[]): NavigationEntry[] =>
  pages.flatMap((page) => {
    const mark = headerMarks[page.path];
    return mark === undefined ? [] : [{ ...page, ...mark }];
  });
