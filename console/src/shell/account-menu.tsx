import { Trans, useLingui } from "@lingui/react/macro";
import { ChevronDown, CircleUserRound, Keyboard, LogOut, UserRoundPen, Users } from "lucide-react";
import { hasFeature, type SessionUser, useSession } from "../session.ts";
import { buttonStyle } from "../ui/button.tsx";
import { Menu, MenuHeading, MenuItem, MenuLine, MenuLink } from "../ui/menu/menu.tsx";
import { useLogout } from "./logout.ts";
import { showShortcuts } from "./shortcuts.ts";
import { useNavigation } from "./use-navigation.ts";

export function AccountMenu({ user }: { user: SessionUser }) {
  const logout = useLogout();
  const { status } = useSession();
  const { t } = useLingui();
  const hasShortcuts = useNavigation().length > 0;
  const shown =
    user.display_name === undefined || user.display_name === "" ? user.username : user.display_name;
  return (
    <Menu
      label={t`Account`}
      trigger={
        <button
          type="button"
          className={buttonStyle({ variant: "ghost" }, "min-w-0 shrink! px-2!")}
        >
          <CircleUserRound aria-hidden="true" />
          <span className="sr-only max-w-32 truncate md:not-sr-only">{user.username}</span>{" "}
          <span className="sr-only">
            <Trans>Account menu</Trans>
          </span>
          <ChevronDown
            aria-hidden="true"
            className="hidden text-muted md:block lg:max-[1439px]:hidden"
          />
        </button>
      }
    >
      <MenuHeading>
        <span dir="auto" className="block truncate font-medium text-ink">
          {shown}
        </span>
        {shown !== user.username && (
          <span dir="auto" className="block truncate text-xs">
            {user.username}
          </span>
        )}
      </MenuHeading>
      <MenuLine />
      <MenuLink to="/settings" icon={<UserRoundPen />}>
        <Trans>Personal settings</Trans>
      </MenuLink>
      {hasFeature(status, "teams") && (
        <MenuLink to="/teams" icon={<Users />}>
          <Trans>Teams</Trans>
        </MenuLink>
      )}
      {hasShortcuts && (
        <MenuItem onSelect={showShortcuts} icon={<Keyboard />}>
          <Trans>Keyboard shortcuts</Trans>
        </MenuItem>
      )}
      <MenuItem onSelect={() => void logout()} icon={<LogOut />}>
        <Trans>Logout</Trans>
      </MenuItem>
    </Menu>
  );
}
