import { useLingui } from "@lingui/react/macro";
import { Menu } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { buildLazyPart } from "../ui/lazy-part.tsx";
import { useNavigation } from "./use-navigation.ts";

const Drawer = buildLazyPart(async () => (await import("./drawer.tsx")).Drawer);

export function MenuButton() {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const isNeeded = useNavigation().length > 0;
  if (!isNeeded) return null;
  return (
    <>
      <IconButton
        label={t`Open navigation menu`}
        icon={<Menu />}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls="navigation-drawer"
        onClick={() => setOpen(true)}
        tooltip={false}
      />
      {open && <Drawer onClose={() => setOpen(false)} />}
    </>
  );
}
