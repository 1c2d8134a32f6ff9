import type { MailTexts } from "./mail-texts.ts";

export const mailTextsEs: MailTexts = {
  verification: {
    subject: "Su código de verificación",
    before: ["Su código de verificación es:"],
    after: ["Funciona una vez y durante 10 minutos. Si no lo pidió, puede ignorar este correo."],
  },
  alreadyRegistered: {
    subject: "Ya tiene una cuenta",
    before: [
      "Se solicitó un código de verificación para esta dirección, que ya pertenece a una cuenta.",
      "Inicie sesión con esa cuenta o restablezca su contraseña. Si no fue usted, puede ignorar este correo.",
    ],
  },
  passwordReset: {
    subject: "Restablezca su contraseña",
    before: ["Siga este enlace para elegir una contraseña nueva:"],
    after: [
      "Funciona una vez y durante 10 minutos. Si no lo pidió, puede ignorar este correo: no se ha cambiado nada.",
    ],
  },
  passwordChanged: ({ isByLink, passkeys }) => ({
    subject: "Su contraseña se ha cambiado",
    before: [
      isByLink
        ? "La contraseña de su cuenta se cambió mediante un enlace enviado por correo y se cerraron todas sus sesiones."
        : "La contraseña de su cuenta se cambió y se cerraron todas sus demás sesiones.",
      ...(passkeys === ""
        ? []
        : [
            `Estas passkeys siguen iniciando sesión sin la contraseña: ${passkeys}. Elimine en su cuenta las que no conozca.`,
          ]),
      "Si no fue usted, pida ayuda de inmediato al operador de este servidor.",
    ],
  }),
  addressChanged: {
    subject: "Su dirección de correo se ha cambiado",
    before: [
      "Su cuenta tiene ahora otra dirección de correo, y esta ya no le pertenece.",
      "Si no fue usted, cambie su contraseña y pida ayuda de inmediato al operador de este servidor.",
    ],
  },
  passkeyCopied: ({ name }) => ({
    subject: "Se ha rechazado una de sus llaves de acceso",
    before: [
      `Se ha rechazado un inicio de sesión en su cuenta con la llave de acceso «${name}»: su dispositivo cuenta menos que antes, como haría una copia.`,
      "Inicie sesión de otra forma, elimine esta llave de acceso en su configuración personal y añada una nueva.",
    ],
  }),
  providerLink: ({ provider, username }) => ({
    subject: "Conecte su inicio de sesión",
    before: [
      `Ha iniciado sesión con ${provider}, y la cuenta ${username} tiene su dirección de correo. Este código las conecta:`,
    ],
    after: [
      "Funciona una vez y durante 10 minutos. Si no acaba de iniciar sesión, ignore este correo y no dé el código a nadie.",
    ],
  }),
  providerLinked: ({ provider }) => ({
    subject: "Se ha vinculado un proveedor de identidad a su cuenta",
    before: [
      `Un inicio de sesión con ${provider} ha encontrado su cuenta por su dirección de correo, que el proveedor ha verificado. Desde ahora da acceso a la cuenta.`,
      "Si no ha sido usted, avise al administrador de este servidor.",
    ],
  }),
  teamInvitation: ({ team, inviter, days }) => ({
    subject: `Invitación al equipo ${team}`,
    before: [
      `${inviter} le invita al equipo ${team}. Sus miembros comparten un saldo para llamadas a la API.`,
    ],
    after: [
      `El enlace funciona una vez, durante ${days} días, y para una cuenta con esta dirección de correo.`,
      "Si no conoce al remitente, ignore este correo. Sin su respuesta no ocurre nada.",
    ],
  }),
  lowBalance: ({ username, left }) => ({
    subject: "Su saldo es bajo",
    before: [
      `El saldo de la cuenta ${username} ha bajado a ${left}.`,
      "Cuando se agote, se rechazarán las llamadas con sus tokens.",
    ],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "Una de sus claves de API se ha deshabilitado",
    before: [
      `Un administrador ha deshabilitado su clave de API «${name}».`,
      "Se rechazan los programas que la usan.",
    ],
  }),
  tokenPaused: ({ name }) => ({
    subject: "Una de sus claves de API se ha pausado",
    before: [
      `Un administrador ha pausado su clave de API «${name}».`,
      "Se rechazan los programas que la usan hasta que alguien la reanude.",
    ],
  }),
  keysPaused: ({ budget }) => ({
    subject: "Un presupuesto ha pausado claves de API suyas",
    before: [
      `El presupuesto «${budget}» se ha agotado y las claves de API que limita se han pausado.`,
      "Se rechazan los programas que las usan hasta que alguien las reanude.",
    ],
  }),
  budgetAsked: ({ budget, username, amount, reason }) => ({
    subject: `${username} pide más del presupuesto ${budget}`,
    before: [
      `${username} pide ${amount} más del presupuesto «${budget}» en su período actual.`,
      ...(reason === "" ? [] : [`Motivo: ${reason}`]),
    ],
    after: ["Lo que conceda termina con el período."],
  }),
  budgetAnswered: ({ budget, granted }) =>
    granted === null
      ? {
          subject: `Se ha rechazado su solicitud sobre el presupuesto ${budget}`,
          before: [`No se ha añadido nada al presupuesto «${budget}» en su período actual.`],
        }
      : {
          subject: `Se ha ampliado el presupuesto ${budget}`,
          before: [`Puede gastar ${granted} más del presupuesto «${budget}» en su período actual.`],
        },
  keyPausedBySpike: ({ key, spent, usual }) => ({
    subject: "Una de sus claves de API se ha pausado",
    before: [
      `La clave de API «${key}» se ha pausado: hoy (UTC) ha gastado ${spent} y en un día habitual gasta ${usual}.`,
      "Se rechazan los programas que la usan hasta que alguien la reanude.",
    ],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "Una de sus claves de API se ha sustituido",
    before: [
      `Un administrador ha sustituido su clave de API «${name}», y la anterior se rechaza.`,
      "Inicie sesión, copie la nueva clave y póngala en los programas que usaban la anterior.",
    ],
  }),
  tokenRotated: ({ name, end }) => ({
    subject: "Su clave de API tiene un valor nuevo",
    before: [
      `Desde su cuenta se ha dado un valor nuevo a su clave de API «${name}».`,
      end === null
        ? "La anterior se rechaza desde ahora."
        : `La anterior funciona hasta ${end}. Ponga la nueva en sus programas antes.`,
    ],
    after: ["Si no ha sido usted, cambie su contraseña y deshabilite la clave."],
  }),
  notices: {
    channel_disabled: ({ channel, reason }) => ({
      subject: `Canal ${channel} deshabilitado`,
      before: [`El canal ${channel} se deshabilitó automáticamente. ${reason}`],
    }),
    channel_enabled: ({ channel }) => ({
      subject: `Canal ${channel} habilitado`,
      before: [`El canal ${channel} se habilitó de nuevo: su prueba fue correcta`],
    }),
    channel_suspended: ({ channel, model, reason, minutes }) => ({
      subject: `Canal ${channel} suspendido`,
      before: [
        `Las llamadas de ${model} al canal ${channel} fallan desde hace ${minutes} minutos (${reason}). La pasarela lo deja de lado cuando otro canal puede responder y lo prueba de vez en cuando.`,
      ],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `Una clave del canal ${channel} deshabilitada`,
      before: [
        `La clave ${place} (…${hint}) del canal ${channel} se deshabilitó automáticamente. ${reason}`,
      ],
    }),
    call_not_covered: ({ channel, calls }) => ({
      subject: `Canal ${channel}: una llamada costó más de lo cubierto`,
      before: [
        `Una llamada del canal ${channel} costó más que su reserva, el saldo y la deuda que puede tener una cuenta. El resto se dio por perdido; la línea del registro dice cuánto. Llamadas de este tipo en un día: ${calls}.`,
      ],
    }),
    usage_capped: ({ channel }) => ({
      subject: `Uso del canal ${channel} limitado`,
      before: [
        `El canal ${channel} comunicó más uso del que puede tener una llamada; se cobró el máximo. Sus líneas del registro están marcadas con usage_capped.`,
      ],
    }),
    quota_waits: ({ administrator, amount }) => ({
      subject: "Hay cuota que espera su aprobación",
      before: [
        `El administrador ${administrator} quiere emitir ${amount}, más de lo que AdminIssueLimit permite hoy.`,
      ],
    }),
    budget_asked: ({ username, budget, amount }) => ({
      subject: `${username} pide más del presupuesto ${budget}`,
      before: [`${username} pide ${amount} más del presupuesto «${budget}» en su período actual.`],
    }),
    team_without_admin: ({ team }) => ({
      subject: `El equipo ${team} se ha quedado sin administrador`,
      before: [
        `Ningún administrador del equipo ${team} tiene la cuenta activada. Sus claves siguen funcionando, pero nadie del equipo puede gestionar miembros, claves ni presupuestos.`,
      ],
    }),
    channel_balance_low: ({ channel, dollars }) => ({
      subject: `El saldo del canal ${channel} es bajo`,
      before: [
        `El proveedor del canal ${channel} comunica un saldo de ${dollars}. Cuando se agote, las llamadas de este canal fallarán.`,
      ],
    }),
    model_unserved: ({ model }) => ({
      subject: `Ningún canal sirve ${model}`,
      before: [
        `El modelo ${model} se llamó hoy y todos los canales que lo ofrecen están deshabilitados o suspendidos. Sus llamadas fallan.`,
      ],
    }),
    calls_failing: ({ model, calls, failed }) => ({
      subject: `Fallan las llamadas de ${model}`,
      before: [
        `${failed} de ${calls} llamadas del modelo ${model} han fallado en cerca de una hora.`,
      ],
    }),
    calls_slow: ({ model, medianMs, usualMs }) => ({
      subject: `Las llamadas de ${model} son lentas`,
      before: [
        `El primer contenido de las llamadas de ${model} llega tras ${medianMs} ms (mediana de una hora aproximadamente). A esta hora eran ${usualMs} ms en los últimos siete días.`,
      ],
    }),
    spend_spiking: ({ key, username, spent, usual, isPaused }) => ({
      subject: `La clave de API ${key} gasta más de lo habitual`,
      before: [
        `La clave de API «${key}» de ${username} ha gastado hoy (UTC) ${spent}. En un día habitual gasta ${usual}.`,
        ...(isPaused
          ? [
              "La clave de API se ha pausado. Vuelve a funcionar cuando su propietario o un administrador la reanude.",
            ]
          : []),
      ],
    }),
    price_missing: ({ model }) => ({
      subject: `${model} no tiene un precio indicado`,
      before: [
        `El modelo ${model} se ha llamado hoy y no tiene un precio indicado: ni por usted, ni por su canal, ni en la lista de precios. Sus llamadas se cobran al precio predeterminado.`,
      ],
    }),
    price_mismatch: ({ channel, ours, theirs }) => ({
      subject: `Canal ${channel}: su proveedor cobra otra cosa`,
      before: [
        `Según nuestros precios, las llamadas del canal ${channel} en los últimos días que su proveedor ha cerrado costaron ${ours}. El proveedor cobró ${theirs}.`,
      ],
    }),
    model_retiring: ({ model, endsOn, calls, users, replacement }) => ({
      subject: `${model} termina el ${endsOn}`,
      before: [
        `El proveedor retira el modelo ${model} el ${endsOn} (UTC). En 14 días respondió ${calls} llamadas; usuarios que lo llamaron: ${users}.`,
        ...describeReplacement(replacement),
      ],
    }),
    own_model_retiring: ({ model, endsOn, calls, replacement }) => ({
      subject: `${model} termina el ${endsOn}`,
      before: [
        `Su proveedor retira el modelo ${model} el ${endsOn} (UTC). Sus claves de API lo llamaron ${calls} veces en 14 días; desde entonces esas llamadas fallan.`,
        ...describeReplacement(replacement),
      ],
    }),
    prices_changed: ({ models, model, list }) => ({
      subject: "Los precios han cambiado",
      before: [
        `La lista de precios ${list} cambia en más de una quinta parte los precios de modelos en uso: ${models}, entre ellos ${model}. Nada cambia hasta que root los adopte en la página de precios.`,
      ],
    }),
    ledger_drifts: ({ findings, first }) => ({
      subject: "Los libros no cuadran",
      before: [
        `La auditoría diaria de los libros encontró ${findings} diferencias. La primera: ${first}.`,
      ],
    }),
    trail_broken: ({ fault }) => ({
      subject: "El registro de cambios está dañado",
      before: [`La comprobación diaria del registro de cambios encontró un fallo: ${fault}.`],
    }),
    disk_low: ({ gigabytes, percent }) => ({
      subject: "El disco está casi lleno",
      before: [
        `Al disco de la base de datos le quedan ${gigabytes} GB, el ${percent} %. Cuando esté lleno, se rechazarán las llamadas.`,
      ],
    }),
    backup_old: ({ last, hours }) => ({
      subject: "La última copia de seguridad es demasiado antigua",
      before: [
        last === ""
          ? `No se conoce ninguna copia de seguridad de la base de datos, y debería haber una cada ${hours} horas.`
          : `La última copia de seguridad de la base de datos es del ${last}, y debería haber una cada ${hours} horas.`,
      ],
    }),
    clock_behind: ({ minutes }) => ({
      subject: "El reloj va por detrás de los registros más recientes",
      before: [
        `Los registros más recientes de la base de datos van ${minutes} minutos por delante del reloj de la pasarela. Las llamadas nuevas se muestran con su hora correcta, pero las sumas por hora y día las cuentan más tarde hasta que el reloj las alcance; los cargos son correctos. Si el reloj está mal, ajústelo por NTP.`,
      ],
    }),
    database_refused: ({ minutes, message }) => ({
      subject: "La base de datos no funcionó",
      before: [
        `La base de datos no aceptó nada durante ${minutes} minutos y ya vuelve a funcionar. Dijo: ${message}`,
      ],
    }),
    root_signed_in: ({ username, network }) => ({
      subject: `${username} inició sesión desde una red nueva`,
      before: [
        `El superadministrador ${username} inició sesión desde la red de ${network}, desde la que esta cuenta no lo había hecho antes.`,
      ],
    }),
    sign_ins_locked: ({ locks }) => ({
      subject: "Muchos inicios de sesión están bloqueados",
      before: [
        `Al menos ${locks} inicios de sesión se bloquearon en una hora, cada uno tras fallos repetidos.`,
      ],
    }),
    budget_reached: ({ budget, percent, spent, amount }) => ({
      subject: `Presupuesto ${budget}: ${percent} % alcanzado`,
      before: [
        `El presupuesto ${budget} ha alcanzado el ${percent} % en su período actual: se han gastado ${spent} de ${amount}.`,
      ],
    }),
    job_failing: ({ job }) => ({
      subject: `Falla un trabajo en segundo plano: ${job}`,
      before: [`El trabajo en segundo plano «${job}» ha fallado varias veces seguidas.`],
    }),
    notices_failing: ({ destination, answer }) => ({
      subject: `Fallan los avisos a ${destination}`,
      before: [
        `El destino ${destination} no ha aceptado ningún aviso desde hace una hora. Su última respuesta: ${answer}`,
      ],
    }),
    wallet_low: ({ username, left, threshold }) => ({
      subject: "Su saldo es bajo",
      before: [
        `El saldo de la cuenta ${username} ha bajado a ${left}, por debajo de ${threshold}.`,
      ],
    }),
    key_expiring: ({ key, until }) => ({
      subject: `La clave de API ${key} caduca pronto`,
      before: [
        `Su clave de API «${key}» caduca el ${until}. A partir de entonces se rechazan los programas que la usan.`,
      ],
    }),
    key_expired: ({ key }) => ({
      subject: `La clave de API ${key} ha caducado`,
      before: [`Su clave de API «${key}» ha caducado. Se rechazan los programas que la usan.`],
    }),
    management_key_expiring: ({ key, until }) => ({
      subject: `La clave de gestión ${key} caduca pronto`,
      before: [
        `Su clave de gestión «${key}» caduca el ${until}. Cree otra para sus programas, que a partir de entonces se rechazan.`,
      ],
    }),
    management_key_expired: ({ key }) => ({
      subject: `La clave de gestión ${key} ha caducado`,
      before: [`Su clave de gestión «${key}» ha caducado. Se rechazan los programas que la usan.`],
    }),
  },
  remedies: {
    "channel.disabled": "Elimine la causa en el proveedor, pruebe después el canal y habilítelo.",
    "channel.suspended":
      "Mire el estado del proveedor, pruebe el canal y deshabilítelo mientras dure.",
    "channel.key_disabled":
      "Sustituya la clave en el canal, o habilítela cuando el proveedor la acepte de nuevo.",
    "channel.balance_low":
      "Recargue la cuenta en el proveedor, o deje que otro canal sirva sus modelos.",
    "model.unserved": "Habilite un canal de este modelo, o añada uno.",
    "calls.failing": "Mire los registros de este modelo y pruebe los canales que lo sirven.",
    "calls.slow":
      "Compare en el panel la latencia de los canales de este modelo y dé preferencia a uno más rápido.",
    "spend.spike":
      "Si el gasto no es intencionado, deshabilite la clave; si lo es, póngale un límite adecuado.",
    "price.missing": "Indique su precio en la página de precios o en la configuración de su canal.",
    "price.mismatch":
      "Compare los días y modelos en la página del informe de costes del canal y corrija los precios.",
    "model.retiring": "Ofrezca un modelo más reciente y cubra el nombre con un modelo virtual.",
    "price.changed": "Mire las diferencias en la página de precios y adopte las correctas.",
    "ledger.drift":
      "Ejecute «tollgate audit», que nombra cada una, y comuníquela: solo un fallo o una intervención en la base de datos las causa.",
    "trail.broken":
      "Compare con una copia de seguridad desde cuándo es así, y revise quién puede escribir en la base de datos. «tollgate audit --trail» muestra hasta dónde llega la cadena.",
    "storage.trouble":
      "Según lo que indique: libere espacio o conserve menos días los registros y las trazas; haga que las copias de seguridad vuelvan a ejecutarse; mire el registro de la base de datos.",
    "sign_in.root":
      "Si no fue usted, cierre todas las sesiones de esta cuenta, cambie su contraseña y revise el registro de cambios.",
    "sign_in.lockouts":
      "Puede que se estén adivinando contraseñas: exija segundos factores y limite quién llega a la consola.",
    "budget.reached":
      "Si el gasto es intencionado, aumente el presupuesto; si no, los registros muestran qué lo causa.",
    "call.not_covered":
      "Compruebe los precios de los modelos del canal y la respuesta más larga que sus llamadas pueden pedir.",
    "usage.capped": "Compare estas llamadas con las cifras del proveedor.",
    "quota.waiting": "Apruébelo o rechácelo en la página Usuarios.",
    "budget.asked": "Concédalo o rechácelo en la página Presupuestos.",
    "team.without_admin":
      "En la página del equipo, haga a un miembro administrador y propietario, o active la cuenta de un administrador del equipo.",
    "job.failing": "El registro del gateway dice por qué. El trabajo se repite por sí solo.",
    "notice.failing":
      "Pruebe el destino. Si su dirección o su token ya no es válido, elimínelo y añádalo de nuevo.",
    "wallet.low": "Recargue su cuenta: cuando se agote el saldo, se rechazarán las llamadas.",
    "key.expiring": "Dé a la clave una fecha posterior o sustitúyala en sus programas.",
    "own_budget.reached":
      "Si el gasto es intencionado, suba el límite o pida que se suba; si no, busque en sus registros qué lo causa.",
    "own_model.retiring": "Elija otro modelo en sus programas antes de ese día.",
  },
  alertResolved: ({ subject }) => ({ subject: `Resuelto: ${subject}`, before: ["Ya no es así."] }),
  alertReminder: ({ subject }) => ({
    subject: `Sigue activo: ${subject}`,
    before: ["Es así desde hace un día."],
  }),
  alertFlapping: ({ subject }) => ({
    subject: `Inestable: ${subject}`,
    before: [
      "Ha empezado y terminado varias veces en una hora. Recibirá otro aviso cuando lleve una hora estable.",
    ],
  }),
  alertDigest: ({ count }) => ({
    subject: `${count} alertas`,
    before: ["Han llegado varias alertas juntas:"],
  }),
  alertExample: {
    subject: "Ejemplo de aviso",
    before: ["Esto es un ejemplo: los avisos de este servidor le llegan aquí."],
  },
  destinationCode: ({ code }) => ({
    subject: "Código para sus avisos",
    before: [
      `Su código es ${code}. Escríbalo en la consola para recibir avisos aquí.`,
      "Sirve una vez y durante 10 minutos. Si no lo ha pedido, puede ignorar este mensaje.",
    ],
  }),
};

const describeReplacement = (replacement = ""): string[] =>
  replacement === "" ? [] : [`En su lugar: ${replacement}.`];
