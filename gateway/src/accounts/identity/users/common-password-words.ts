/**
 * The words that passwords are most often made of, as published lists of leaked ones agree. Put
 * together by hand.
 */
const text = `
000000 00000000 0123456789 0987654321 101010 1029384756 111111 11111111 112233 11223344 1122334455 121212
12131415 123123 123123123 123321 12341234 12344321 12345 123454321 1234554321 123456 1234567 12345678 123456789
1234567890 1234qwer 123654789 123abc 123qwe 123qweasd 131313 13131313 147258369 147852369 159753 19871987
1a2b3c4d 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 20202020 31415926 555555 654321 666666 696969 741852963
777777 789456123 87654321 88888888 963852741 987654321 a123456 a12345678 a1b2c3d4 aa123456 abc123 abcabc
abcd1234 abcdef abcdefg abcdefgh access acdc admin administrator ajax alejandra alejandro alexander alexandra
alexandru alexis alhamdulillah allah alphabet amanda amelia america american andrea andreas andrew android angel
angela angelo angels anthony antonio anything apikey apollo apple apples april aragorn argentina arsenal asd123
asdf asdfgh asdfghjkl ashley assassin asshole athena audi august australia autumn avengers azerty babe baby
babyboy babygirl bacardi bambi banana bananas barbara barcelona baseball basketball bastard batman bayern
beatles beautiful beckham believe benjamin berlin besiktas bestfriend beyonce bible bismillah bitch black
blessed blessing blink182 blossom blue bmw boston brandon brasil brazil britney brittany broncos brother bubba
bubbles buddha buddy budweiser bulldog bulldogs bulls bullshit bunny buster butter butterfly california
callofduty camaro canada candy captain carlos carolina caroline casper catherine celtic celtics champion
changeit changeme changemenow charizard charles charlie charlotte chatgpt cheese cheesecake cheetah chelsea
cherry chester chevrolet chevy cheyenne chicago china chocolate christ christian christine christopher church
citroen claudia cobra coffee computer contrasena contraseña cookie cookies cooper corona corvette counterstrike
courtney cowboys cricket cristiano cristina crystal cupcake cutie cuties cynthia daddy dallas daniel danielle
darling darthvader david december default demo demon denver deutschland devil diablo diamond diana discord
doggie dolphin dolphins dominic donald donaldduck doraemon dortmund dracula dragon dragonball dream dreamer
dreams ducati eagle eagles earth eduardo edward elephant elisabeth elizabeth elvis emily eminem emmanuel england
espana everton fabian facebook faith falcon family fantasy father february felix fenerbahce fernando ferrari
fire fireman florian florida flower flowers football forever fortnite france francisco franziska frederic
freedom friday friedrich friend friends friendship frodo fuckme fuckoff fuckyou gabriel gabriela galatasaray
gameover gamer gaming gandalf ganesh garfield gateway george germany gerrard ginger giovanni gizmo godbless
godisgood goku golden golf golfer goodbye goodluck google gorgeous gospel grace grandma green greenday gregory
gryffindor guest guillermo guinness hacker hacking halo hamburger hammer handsome hannah happiness happy harley
harrypotter haslo heather heaven heineken hellfire hello hellohello hellokitty helloworld hercules hermione
heslo hockey hogwarts honda honey hope horse horses hottie houston hulk hunter hurricane ice iceman iloveme
iloveu ilovey0u iloveyou iloveyougod india indonesia ingrid initial instagram internet iphone ireland ironmaiden
ironman isabel isabella istanbul italia jackass jackdaniels jackson jacqueline jaguar january japan jasmine
jasper javier jedi jelszo jennifer jeremy jessica jesus jesuschrist johannes joker jonathan jordan jordan23
joseph josephine joshua julian juliana justin justinbieber juventus katherine kathrin katrina kawasaki kennwort
killer kimberly king kisses kissme kitten kitty kittycat koala kobe kobebryant korea krishna lakers lamborghini
laura lauren lebron legolas leonard leonardo leopard letmein letmeinnow letters liberty lightning linkedin
linkinpark lion liverpool login logon london lorenzo louise love lovelove lovely loveme lover lovers loveyou
lucas lucifer lucky madison madonna madrid magdalena maggie magic magical malaysia manchester manuel manunited
maradona march marcus margaret mariana marie marijuana marina mario markus marlboro marley martin martina marvin
master mathias matrix matthew matthews maverick max maximilian maxwell mazda melanie melissa mercedes merlin
messi metallica mexico michael michaeljordan michelle mickey mickeymouse microsoft midnight miguel milan
minecraft minnie misty molly mommy monday monica monkey monster moonlight morgan morpheus moscow motdepasse
mother motherfucker motorola mountain muhammad murphy mustang mylove mypassword mysecret mystery naruto natalie
natasha nathan nemo neo newpass newpassword newyork nicholas nicole ninja nintendo nirvana nissan nokia
nopassword nothing november number numbers ocean october odin oldpassword oliver olivia onedirection onelove
onepiece onetwothree openai operator orange oscar p@ssword pa55word packers pakistan pamela panda panther paris
parola pass passcode passkey passord passpass passphrase passw0rd password password1 passwort patricia patrick
patriots pauline peace peaches peanut penguin pepper peter peugeot phantom philip philipp philippines phoenix
pikachu pinkfloyd pirate pizza player playstation pokemon pooh porsche portugal potter precious pretty prince
princess private pumpkin puppy purple python q1w2e3r4 qazwsx qazwsxedc queen qwe123 qweasd qweasdzxc qwer1234
qwerty qwerty1 qwertyuiop qwertz rabbit rachel raiders rainbow ramona ramones ranger rangers rascal realmadrid
rebecca rebel redskins redsox renault ricardo richard rihanna river robert roberto roblox rocky roland rolling
ronald ronaldo rooney root rose roses rugby runner russell russia rusty sabrina salasana samantha sammy samsung
samuel samurai sandra santiago sarah sasuke satan saturday scarlet scooby scoobydoo scooter scotland scott
sebastian secret secure security senha september server service sexy sexybitch shadow shadows shakira shalom
shithead silver simba simone singapore sister skateboard skipper skywalker slayer slipknot slytherin smile
smiley smirnoff smokey snickers sniper snoopy snowball snowboard soccer softball soldier something sony sophia
sophie sparkle sparky spider spiderman spike spongebob spring stallion starcraft starlight startrek starwars
steelers stefan stefanie stephanie stephen steven storm strawberry subaru sugar summer sunday sunflower sunrise
sunset sunshine superman superuser support surfer susanna susanne suzuki sweetheart sweetie sweety swimming
sysadmin system taylor telegram temp temporary temppass tennis tequila teresa test tester testing texas thailand
theresa thomas thompson thor thunder thursday tiffany tiger tigger tinkerbell tobias toby tollgate topsecret
tornado tottenham toyota trinity tristan trouble truelove trust trustno1 tucker tuesday tupac turkey turtle
twitter unknown ursula user valentina valeria valerie vampire vanessa vegeta veronica victoria vietnam vincent
violet viper virginia vodka voldemort volkswagen volleyball volvo wachtwoord walter warcraft warrior water
webmaster wednesday welcome welcome1 westham whatever whatsapp whiskers whiskey white william williams wind
windows windows10 winner winnie winter wizard wolf wolfgang wolverine wolves xavier xbox xbox360 yamaha yankees
yellow yoda yolanda yourpassword youtube yvonne zachary zaq12wsx zaq1zaq1 zaqxsw zeppelin zeus zidane zombie
zxcvbn zxcvbnm
`;

export const commonPasswordWords: readonly string[] = text.trim().split(/\s+/);
