import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import {
  ChartColumn,
  CreditCard,
  DollarSign,
  FileText,
  FlaskConical,
  Gift,
  House,
  Info,
  type LucideIcon,
  MessageSquare,
  Settings,
  Users,
  Zap,
} from "lucide-react";

export type NavigationEntry = {
  path: string;
  label: MessageDescriptor;
  icon: LucideIcon;
  /** A hairline and space divide the halves: accounts, keys and money first; then models and what explains the gateway. */
  half: "manage" | "explore";
  adminOnly?: boolean;
  needsChatLink?: boolean;
  /** Shown where the server issues keys for it. */
  needsPlayground?: boolean;
  /** Active on the pages below its path as well. */
  matchesSubpages?: boolean;
};

/** In the order of the specification. The entries of a half are consecutive. */
export const navigation: readonly NavigationEntry[] = [
  { path: "/dashboard", label: msg`Dashboard`, icon: House, half: "manage" },
  { path: "/channels", label: msg`Channels`, icon: Zap, half: "manage", adminOnly: true },
  { path: "/tokens", label: msg`Tokens`, icon: CreditCard, half: "manage" },
  { path: "/logs", label: msg`Logs`, icon: FileText, half: "manage" },
  { path: "/users", label: msg`Users`, icon: Users, half: "manage", adminOnly: true },
  { path: "/redemptions", label: msg`Redemptions`, icon: Gift, half: "manage", adminOnly: true },
  { path: "/topup", label: msg`Top Up`, icon: DollarSign, half: "manage" },
  { path: "/models", label: msg`Models`, icon: ChartColumn, half: "explore" },
  { path: "/playground", label: msg`Playground`, icon: FlaskConical, half: "explore", needsPlayground: true },
  { path: "/chat", label: msg`Chat`, icon: MessageSquare, half: "explore", needsChatLink: true },
  { path: "/about", label: msg`About`, icon: Info, half: "explore" },
  { path: "/settings", label: msg`Settings`, icon: Settings, half: "explore", adminOnly: true, matchesSubpages: true },
];

type NavigationConditions = {
  admin: boolean;
  chatLink: boolean;
  playground: boolean;
  exists: (path: string) => boolean;
};

export function visibleEntries({ admin, chatLink, playground, exists }: NavigationConditions): NavigationEntry[] {
  return navigation.filter(
    (entry) =>
      exists(entry.path) &&
      (admin || entry.adminOnly !== true) &&
      (chatLink || entry.needsChatLink !== true) &&
      (playground || entry.needsPlayground !== true),
  );
}
