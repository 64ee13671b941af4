"""Words that state a number, in English, German, French and Polish. Data for `number_patterns`.

All words are folded: small letters, without accents, ß as ss, ł as l. Articles (German "ein", French "un") are not
number words; English "one" and Polish "jeden" are. False friends between the languages are accepted ("ten" is "this" in
Polish, "cent" a coin): a clear refusal costs a rewording, a figure that slips through costs trust. Left out are words
that everyday prose about money needs in another sense: English "gross", "sole" and "quarterly", German "Schock", Polish
"wiek", a century and an age; "grand" counts only where `BEFORE_GRAND` stands before it, which "grand total" has not.
"""

from __future__ import annotations

# --- English ----------------------------------------------------------------------------------------------------------

ENGLISH_CARDINALS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fourty fifty sixty seventy eighty ninety hundred thousand million billion
trillion quadrillion quintillion lakh crore dozen
""".split()

ENGLISH_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth
ninetieth hundredth thousandth millionth billionth trillionth
""".split()

ENGLISH_WORDS = """
zeros zeroes zeroth none nil nought naught null both once twice thrice single singles duo trio
half halves halve halved halving quarter quarters
double doubled doubles doubling doubly triple tripled triples tripling treble trebled quadruple quadrupled quadruples
quadrupling quintuple quintupled sextuple pair pairs couple couples
twenties thirties forties fifties sixties seventies eighties nineties teens
firstly secondly thirdly fourthly fifthly seconds thirds fourths fifths sixths sevenths eighths ninths tenths
twelfths hundredths thousandths
decade decades century centuries millennium millennia millenniums fortnight fortnights fortnightly biennial triennial
quinquennial decennial centennial bicentennial centenary quartet quartets quintet quintets sextet sextets septet septets
octet octets nonet triplet triplets quadruplet quadruplets quintuplet quintuplets sextuplet sextuplets twin twins brace
score scores myriad myriads fiver fivers tenner tenners umpteen umpteenth zilch nada nothing thou mil mils googol
triad triads threepence sixpence quintuples quintupling sextupled septuple octuple decuple centuple redouble redoubled
quadruply triply singly
""".split()

ENGLISH_TAIL = "(?:fold|ish|some|something|odd|score|pence|plus|s)?"

# --- German -----------------------------------------------------------------------------------------------------------

GERMAN_NUMERALS = """
null zwei drei vier funf fuenf sechs sieben acht neun zehn elf zwolf zwoelf sechzehn siebzehn
zwanzig dreissig dreiszig vierzig funfzig fuenfzig sechzig siebzig achtzig neunzig hundert tausend
million millionen milliarde milliarden billion billionen billiarde billiarden viertel drittel dutzend
""".split()

GERMAN_ZWO = "zwo(?!elf)"
"""Apart from the others, so that zwoelf can be read in one way only and the pattern stays linear."""

GERMAN_FILLERS = "eins eine ein und halb".split()
"""Parts of a compound that state no number alone."""

GERMAN_ORDINAL_STEMS = """
erst zweit dritt viert funft fuenft sechst siebt siebent acht neunt zehnt elft zwolft zwoelft
""".split()

GERMAN_ORDINAL_TAIL = "(?:e[nrsm]?|ens|el|eln|els)"

GERMAN_TAIL = (
    "(?:e[nrs]?|s|(?:st|t)(?:e[nrsm]?|ens|eln?|els)?"
    "|(?:mal|fach|faltig|faeltig|erlei|tag|taeg|woch|woech|monat|quartal|jahr|jaehr|stund|stuend|minut|sekund|prozent"
    "|stell|teil|kopf|koepf|seit|stuf|euro|dollar|punkt|person|glied|zeil|satz|schicht|eck|mehrheit)[a-z]*)?"
)

GERMAN_WORDS = """
eins zwo zwote zwoter einmal einmalig halb halbe halber halben halbes halbem halfte haelfte halften haelften anderthalb
beide beiden beider beides beidem paar paare paaren dutzende dutzenden hunderte hunderten hunderter tausende tausenden
tausender doppel doppelt doppelte doppelten doppelter doppeltes doppeltem verdoppelt verdoppeln verdoppelte
verdoppelung verdopplung halbiert halbieren halbierte halbierung halbjahr halbjahre halbjahres halbjahrlich
einzige einziger einziges einzigen einzigem nullen
jahrzehnt jahrzehnte jahrzehnten jahrzehnts jahrzehntes jahrzehntelang dekade dekaden dezennium dezennien millennium
millennien duett quartett quartette quintett sextett septett oktett zwilling zwillinge drillinge vierling
vierlinge parchen paerchen zig zigfach nichts nix halbierte halbierten halbierter halbiertes verdoppelten verdoppelter
verdoppeltes verdoppelst verdopple verdopplungen halbierungen doppelte verdreifachung vervierfachung verfunffachung
allererste allerersten allererster allererstes zigtausend
""".split()

# --- French -----------------------------------------------------------------------------------------------------------

FRENCH_NUMERALS = """
zero deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante
cinquante soixante septante huitante octante nonante cent cents mille million millions milliard milliards billion
billions
""".split()

FRENCH_ORDINAL_STEMS = """
un deux trois quatr cinqu six sept huit neuv dix onz douz treiz quatorz quinz seiz vingt trent quarant cinquant soixant
septant huitant nonant cent mill million milliard
""".split()

FRENCH_WORDS = """
zeros premier premiere premiers premieres premierement second seconde secondes secondement demi demie demis demies
moitie moities tiers quart quarts double doubles doublee doublees doubler triple triplee triplees tripler quadruple
quadrupler paire paires millier milliers dizaine dizaines douzaine douzaines quinzaine vingtaine trentaine quarantaine
cinquantaine soixantaine centaine centaines centieme centiemes
quinzaines vingtaines trentaines quarantaines cinquantaines soixantaines huitaine huitaines neuvaine decennie decennies
siecle siecles millenaire millenaires centenaire doublement doubla doublant doublent doubleront triplement triplent
quadruplee quadruplees quadruplement quintuple quintuplee quintuples sextuple decuple decuplee centuple couple couples
jumeau jumeaux jumelle jumelles quatuor quintette sextuor septuor octuor rien neant primo secundo tertio bicentenaire
""".split()

FRENCH_AFTER_ONE = "(?:vingts?|trente|quarante|cinquante|soixante|septante|huitante|octante|nonante|cents?|mille)"
"""Numerals after which "un" is no article: vingt et un, quatre-vingt-un, cent un."""

# --- Polish -----------------------------------------------------------------------------------------------------------

POLISH_WORDS = """
zero zera zer zerem zerowy zerowa zerowe
jeden jedna jedno jednego jednej jednemu jednym jedni
dwa dwie dwaj dwoch dwu dwom dwoma dwiema dwoje dwojga dwojgiem dwojka
trzy trzej trzech trzem trzema troje trojga trojgiem trojka
cztery czterej czterech czterem czterema czworo czworga czworka
piec pieciu piecioma piecioro pieciorga szesc szesciu szescioma szescioro siedem siedmiu siedmioma siedmioro
osiem osmiu osmioma osmioro dziewiec dziewieciu dziewiecioma dziewiecioro
dziesiec dziesieciu dziesiecioma dziesiecioro dziesiatka dziesiatki dziesiatek
dwadziescia dwudziestu dwudziestoma trzydziesci trzydziestu trzydziestoma czterdziesci czterdziestu czterdziestoma
sto stu stoma dwiescie dwustu trzysta trzystu czterysta czterystu
setka setki setek setkami
tysiac tysiaca tysiacowi tysiacem tysiacu tysiace tysiecy tysiacom tysiacami tysiacach
pol polowa polowy polowe polowie polowo polowka poltora poltorej cwierc cwierci cwiercia
oba obie obaj obu obojga oboje obydwa obydwie obydwaj obydwu obydwoch
para pary pare tuzin tuzina tuziny tuzinow
podwojnie potrojnie dwukrotnie trzykrotnie czterokrotnie pieciokrotnie jednokrotnie
podwoic podwoil podwoila podwoilo podwoily podwoili podwoi podwoja podwaja podwajaja podwojenie podwojenia podwojony
podwojona podwojone potroic potroil potroila potroilo potroily potroi potrojenie potrojony potrojona potrojone
tuzinem tuzinie tuzinom tuzinami kopa kopy kope polowach polowami polow dekada dekady dekad dekade dekadzie dekadom
dekadami stulecie stulecia stuleciu stuleci tysiaclecie tysiaclecia dziesieciolecie dziesieciolecia blizniak blizniaki
blizniaczy kwartet kwintet sekstet septet oktet nic niczego kilkanascie kilkunastu kilkaset kilkuset nascie
""".split()

POLISH_TEENS = """
jedenascie dwanascie trzynascie czternascie pietnascie szesnascie siedemnascie osiemnascie dziewietnascie
""".split()
"""Inflected by -nastu, -nastoma."""

POLISH_TENS = "piecdziesiat szescdziesiat siedemdziesiat osiemdziesiat dziewiecdziesiat".split()
"""Inflected by -dziesieciu, -dziesiecioma."""

POLISH_HUNDREDS = "piecset szescset siedemset osiemset dziewiecset".split()
"""Inflected by -uset: pieciuset, szesciuset …"""

POLISH_HUNDREDS_INFLECTED = "pieciuset szesciuset siedmiuset osmiuset dziewieciuset".split()

POLISH_SCALES = "milion miliard bilion biliard trylion".split()
POLISH_SCALE_TAIL = "(?:a|owi|em|ie|dzie|y|ow|om|ami|ach|owy|owa|owe|owych)?"

POLISH_ORDINAL_STEMS = """
pierwsz drug trzec czwart piat szost siodm osm dziewiat dziesiat jedenast dwunast trzynast czternast pietnast szesnast
siedemnast osiemnast dziewietnast dwudziest trzydziest czterdziest piecdziesiat szescdziesiat siedemdziesiat
osiemdziesiat dziewiecdziesiat setn dwusetn trzysetn czterysetn piecsetn tysieczn milionow podwojn potrojn poczworn
pojedyncz dwukrotn trzykrotn czterokrotn jednokrotn
""".split()

POLISH_ORDINAL_TAIL = "(?:[iy](?:a|e|ego|ej|emu|m|ch|mi)?|a|e|ego|ej|emu|o)"

POLISH_PREFIXES = (
    "(?:jedno|dwu|trzy|cztero|piecio|szescio|siedmio|osmio|dziewiecio|dziesiecio|[a-z]{2,8}nasto|dwudziesto|trzydziesto"
    "|czterdziesto|[a-z]{4,8}dziesiecio|stu|dwustu|tysiac|pol)"
)
POLISH_PREFIXED = (
    "(?:dni|dob|tygodni|miesiec|miesiac|kwarta|let|lat|roczn|godzin|minut|procent|krot|cyfr|stron|osob|etap|czesc"
    "|punkt|poziom|rat)[a-z]*"
)

# --- all four ---------------------------------------------------------------------------------------------------------

ABBREVIATIONS = """
mio mrd mln mld mn bn bln trn tsd tys teur keur meur tusd kusd musd tchf kchf mchf tgbp kgbp mgbp
""".split()
"""Scales: put after a figure they change it a thousandfold, so they state a number themselves."""

ANYWHERE = """
thousand hundred million billion trillion milliard miliard tausend hundert zwanzig dreissig vierzig funfzig fuenfzig
sechzig siebzig achtzig neunzig dziesiat dziesieci tysiac tysiecy
""".split()
"""Stems that state a number wherever in a word they stand, as in "Vierteljahrhundert" or "multimillion"."""

BEFORE_GRAND = "(?:[0-9]|(?<![^\\W_])(?:a|an|another|few|several|many|some|of|half|extra|cool))"
"""What makes a thousand of "grand": a digit, or one of these words."""

PERCENT_BEFORE_CENT = "(?:per|pour|pro)"
"""Words after which "cent" is the percent sign in words, not a hundred."""
