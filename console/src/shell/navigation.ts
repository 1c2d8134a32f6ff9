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
  /** A hairline divides the groups. */
  group: "use" | "operate" | "learn";
  adminOnly?: boolean;
  needsChatLink?: boolean;
  /** Shown where the server issues keys for it. */
  needsPlayground?: boolean;
  /** Active on the pages below its path as well. */
  matchesSubpages?: boolean;
};

/** In the order of the specification. Groups are consecutive entries. */
export const navigation: readonly NavigationEntry[] = [
  { path: "/dashboard", label: msg`Dashboard`, icon: House, group: "use" },
  { path: "/channels", label: msg`Channels`, icon: Zap, group: "use", adminOnly: true },
  { path: "/tokens", label: msg`Tokens`, icon: CreditCard, group: "use" },
  { path: "/logs", label: msg`Logs`, icon: FileText, group: "use" },
  { path: "/users", label: msg`Users`, icon: Users, group: "operate", adminOnly: true },
  { path: "/redemptions", label: msg`Redemptions`, icon: Gift, group: "operate", adminOnly: true },
  { path: "/topup", label: msg`Top Up`, icon: DollarSign, group: "operate" },
  { path: "/models", label: msg`Models`, icon: ChartColumn, group: "learn" },
  { path: "/playground", label: msg`Playground`, icon: FlaskConical, group: "learn", needsPlayground: true },
  { path: "/chat", label: msg`Chat`, icon: MessageSquare, group: "learn", needsChatLink: true },
  { path: "/about", label: msg`About`, icon: Info, group: "learn" },
  { path: "/settings", label: msg`Settings`, icon: Settings, group: "learn", adminOnly: true, matchesSubpages: true },
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
