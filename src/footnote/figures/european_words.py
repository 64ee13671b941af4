"""Words that state a number in twelve more languages, Croatian and Serbian taken as one, of Latin letters. Data for `number_patterns`.

Folded as in `number_words`: small letters without accents, ø as o, æ as ae, ı as i. Of each language there are the
cardinals that compounds are made of, the ordinals to the tenth, fractions, dozens and multiples. Spellings run together
(ventitre, drieentwintig, treogtyve, huszonharom) are taken apart into `units`, `tens`, `scales` and `joints`.

Articles are no number words, and neither is what `LEFT_OUT` names: everyday words of English, German, French or Polish.
They still count inside a compound, and where their accents tell them apart (`ONLY_AS_WRITTEN`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberWords:
    """One language.

    Attributes:
        units: Zero to nineteen.
        tens: Twenty to ninety, as they stand in compounds.
        scales: Hundreds, thousands, millions.
        joints: What stands between parts of a compound.
        tails: What may end a compound, as in an ordinal.
        others: Words that are part of no compound.
    """

    units: str
    tens: str
    scales: str
    others: str
    joints: str = ""
    tails: str = ""


ITALIAN = NumberWords(
    units="zero un uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici "
    "sedici diciassette diciotto diciannove",
    tens="venti vent trenta trent quaranta quarant cinquanta cinquant sessanta sessant settanta settant ottanta ottant "
    "novanta novant",
    scales="cento cent mille mila milione milioni miliardo miliardi bilione bilioni",
    tails="esimo esima esimi esime duesimo duesima quattresimo quattresima cinquesimo cinquesima settesimo settesima "
    "ottesimo ottesima novesimo novesima",
    others="primo primi secondo secondi terzo terza terzi terze quarto quarta quarti quarte quinto quinta quinti "
    "quinte sesto sesta sesti settimo settima ottavo ottava ottavi nono nona noni decimo decima decimi mezzo mezza "
    "mezzi dozzina dozzine decina decine ventina trentina centinaio centinaia migliaio migliaia doppio doppia doppi "
    "triplo tripla quadruplo raddoppia raddoppiare raddoppiato raddoppiata raddoppiati triplicato triplicata dimezzato "
    "dimezzata dimezzare ambedue entrambi entrambe niente nulla undicesimo "
    "undicesima dodicesimo dodicesima tredicesimo tredicesima quattordicesimo quattordicesima quindicesimo "
    "sedicesimo diciassettesimo diciottesimo diciannovesimo",
)

SPANISH = NumberWords(
    units="cero un uno una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve",
    tens="veinte veinti treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    scales="cien ciento cientos cientas quinientos quinientas setecientos setecientas novecientos novecientas mil "
    "millon millones billon billones",
    joints="i y",
    others="veintiun primero primera primeros primeras primer segundo segunda segundos segundas tercero tercera tercer "
    "cuarta cuartos cuarto quinto quinta sexto sexta septimo septima octavo octava noveno novena decimo decima mitad "
    "tercio tercios docena docenas decena decenas veintena centena centenar centenares millar millares miles doble "
    "dobles duplo triple cuadruple duplicado duplicada duplicar triplicado triplicada ambos ambas "
    "vigesimo vigesima trigesimo cuadragesimo quincuagesimo sexagesimo septuagesimo octogesimo nonagesimo centesimo "
    "undecimo duodecimo decimoprimero decimosegundo decimotercero decimocuarto decimoquinto",
)

PORTUGUESE = NumberWords(
    units="zero um uma dois duas tres quatro cinco seis sete oito nove dez onze doze treze catorze quatorze quinze "
    "dezasseis dezesseis dezassete dezessete dezoito dezanove dezenove",
    tens="vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    scales="cem cento centos centas duzentos duzentas trezentos trezentas quinhentos quinhentas mil milhao milhoes "
    "bilhao bilhoes biliao bilioes",
    joints="e",
    others="primeiro primeira primeiros primeiras segundo segunda terceiro terceira quarto quarta quinto quinta sexto "
    "sexta setimo setima oitavo oitava nono nona decimo decima meio meia metade terco tercos duzia duzias dezena "
    "dezenas centena centenas milhar milhares dobro duplo dupla duplicou duplicado triplo tripla triplicou ambos ambas "
    "vigesimo vigesima trigesimo quadragesimo quinquagesimo sexagesimo septuagesimo octogesimo nonagesimo centesimo",
)

DUTCH = NumberWords(
    units="nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien",
    tens="twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    scales="honderd duizend miljoen miljard biljoen",
    joints="en",
    tails="ste tal en de",
    others="eerste tweede derde vierde vijfde zesde zevende achtste negende tiende helft halve kwart kwarten dozijn "
    "dozijnen tiental tientallen honderden honderdtal duizenden duizendtal miljoenen miljarden dubbel dubbele "
    "tweevoudig drievoudig tweemaal driemaal tweeen drieen verdubbeld verdubbelde verdubbelen verdrievoudigd halveren "
    "gehalveerd gehalveerde anderhalf anderhalve niets elfde twaalfde dertiende veertiende vijftiende zestiende "
    "zeventiende achttiende negentiende",
)

SWEDISH = NumberWords(
    units="noll en ett tva tre fyra fem sex sju atta nio tio elva tolv tretton fjorton femton sexton sjutton arton "
    "aderton nitton",
    tens="tjugo tjugu trettio fyrtio fortio femtio sextio sjuttio attio nittio",
    scales="hundra tusen miljon miljard biljon",
    tails="de nde e forsta forste andra andre tredje fjarde femte sjatte sjunde attonde nionde er tals",
    others="forsta forste andra tredje fjarde femte sjatte sjunde attonde nionde tionde halv halva halvt halften "
    "tredjedel tredjedelar fjardedel fjardedelar kvart dussin dussintals tiotal tiotals hundratal tusental dubbel "
    "dubbelt dubbla tredubbel tvafaldig fordubblad fordubblat fordubblats fordubbla halverad halverat halverats "
    "miljoner miljarder elfte tolfte trettonde fjortonde femtonde sextonde sjuttonde artonde nittonde ingenting",
)

NORWEGIAN = NumberWords(
    units="null en ett to tre fire fem seks sju syv atte ni ti elleve tolv tretten fjorten femten seksten sytten atten "
    "nitten",
    tens="tjue tyve tretti tredve forti femti seksti sytti atti nitti",
    scales="hundre tusen million milliard billion",
    joints="og",
    tails="de nde ende forste andre tredje fjerde femte sjette sjuende syvende attende niende er vis",
    others="forste tredje fjerde femte sjette sjuende syvende attende niende tiende halv halvt halve halvparten "
    "tredjedel tredjedeler fjerdedel fjerdedeler kvart dusin dusinvis titalls hundrevis tusenvis dobbel dobbelt doble "
    "doblet fordoblet tredobbel tredoblet halvert halvere millioner milliarder begge ingenting halvannen "
    "ellevte tolvte trettende fjortende femtende sekstende syttende nittende",
)

DANISH = NumberWords(
    units="nul en et to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten",
    tens="tyve tredive fyrre fyrretyve halvtreds halvtredsindstyve ogtres ogtreds tresindstyve halvfjerds "
    "halvfjerdsindstyve ogfirs firsindstyve halvfems halvfemsindstyve",
    scales="hundred hundrede tusind tusinde million milliard billion",
    joints="og",
    tails="nde ende r er vis vindstyvende",
    others="forste anden andet tredje fjerde femte sjette syvende ottende niende tiende halv halvt halve halvdelen "
    "tredjedel tredjedele fjerdedel fjerdedele kvart dusin dusinvis snese hundredvis tusindvis dobbelt dobbelte "
    "fordoblet fordoble tredobbelt tredoblet halveret halvere millioner milliarder begge halvanden ingenting intet "
    "tredivte ellevte tolvte trettende fjortende femtende sekstende syttende nittende tredsindstyve treds",
)

CZECH = NumberWords(
    units="nula jeden jedna jedno jedny dva dve tri ctyri pet sest sedm osm devet deset jedenact dvanact trinact ctrnact "
    "patnact sestnact sedmnact osmnact devatenact",
    tens="dvacet tricet ctyricet padesat sedesat sedmdesat osmdesat devadesat",
    scales="sto set sta ste tisic tisice tisicu milion miliony milionu miliarda miliardy miliard",
    joints="a",
    tails="i ti aty ata ate",
    others="nuly nulu nul jednoho jedne jednou dvou dvema tri trech trem ctyr ctyrech peti sesti sedmi osmi deviti deseti "
    "prvni druhy druha druhe druheho treti ctvrty ctvrta ctvrte paty sesty sesta sedmy sedma osmy osma "
    "devaty devata desaty desata pul pulka pulku polovina poloviny polovinu tretina tretiny tretinu ctvrtina ctvrtiny "
    "ctvrtinu ctvrt desetina tucet tucty desitka desitky desitek stovka stovky stovek tisicovka milionech "
    "dvojnasobek dvojnasobny dvojnasobne dvojity dvojita trojity trojnasobek dvakrat trikrat zdvojnasobil "
    "zdvojnasobila zdvojnasobit oba obe nic",
)

HUNGARIAN = NumberWords(
    units="nulla egy ket ketto harom negy ot hat het nyolc kilenc tiz",
    tens="tizen husz huszon harminc negyven otven hatvan hetven nyolcvan kilencven",
    scales="szaz ezer millio milliard billio",
    tails="adik edik odik ik dik egyedik kettedik harmadik negyedik otodik hatodik hetedik nyolcadik kilencedik as es ad "
    "ed",
    others="fel elso masodik harmadik negyedik otodik hatodik hetedik nyolcadik kilencedik tizedik fele felet masfel harmad "
    "harmada ketharmad negyed negyede haromnegyed tized tucat tucatnyi tizes szazas ezres dupla duplaja duplazodott "
    "megduplazodott ketszer ketszerese haromszor haromszorosa felezodott kettos mindketto semmi szazalek",
)

TURKISH = NumberWords(
    units="sifir bir iki uc dort bes alti yedi sekiz dokuz on onbir oniki onuc ondort onbes onalti onyedi onsekiz "
    "ondokuz",
    tens="yirmi otuz kirk elli altmis yetmis seksen doksan",
    scales="yuz bin milyon milyar trilyon",
    tails="inci nci uncu ncu dorduncu lik luk",
    others="birinci ikinci ucuncu dorduncu besinci altinci yedinci sekizinci dokuzuncu onuncu yarim yarisi bucuk ceyrek "
    "ceyregi ucte dortte duzine duzinelerce onlarca yuzlerce binlerce cift iki katina katlandi ikiye hicbir "
    "onbirinci onikinci onucuncu ondorduncu onbesinci onaltinci onyedinci onsekizinci ondokuzuncu yuzuncu bininci",
)

CROATIAN_SERBIAN = NumberWords(
    units="nula jedan jedna jedno dva dvije dvije dve tri cetiri pet sest sedam osam devet deset jedanaest dvanaest "
    "trinaest cetrnaest petnaest sesnaest sedamnaest osamnaest devetnaest",
    tens="dvadeset trideset cetrdeset pedeset sezdeset sedamdeset osamdeset devedeset",
    scales="sto dvjesto dvjesta dvesta tristo trista cetristo stotina stotinu stotine hiljada hiljade hiljadu tisuca tisuce "
    "tisucu milijun milijuna milijuni milion miliona milioni milijarda milijarde milijardi",
    joints="i",
    tails="i a o og e",
    others="nule jednog jedne jednu dvoje troje dvojica prvi prva prvo prvog drugi druga drugo drugog treci treca trece "
    "cetvrti cetvrta peti sesti sedmi osmi deveti deseti pola polovica polovice polovicu polovina polovine trecina "
    "trecine cetvrtina cetvrtine cetvrt tucet tuce tuceta desetak desetine stotinjak dvostruko dvostruki dvostruka "
    "trostruko trostruki udvostruci udvostrucio udvostrucen prepolovljen dvaput triput oba obje nista",
)

SLOVENE = NumberWords(
    units="nic ena en dva dve tri stiri pet sest sedem osem devet deset enajst dvanajst trinajst stirinajst petnajst "
    "sestnajst sedemnajst osemnajst devetnajst",
    tens="dvajset trideset stirideset petdeset sestdeset sedemdeset osemdeset devetdeset",
    scales="sto tisoc tisoci milijon milijona milijonov milijoni milijarda milijarde milijard",
    joints="in",
    tails="i a o ega ih",
    others="enega dveh treh stirih petih sestih sedmih osmih devetih desetih prvi prva prvo drugi druga drugo "
    "tretji tretja cetrti cetrta peti sesti sedmi osmi deveti deseti pol polovica polovico polovici tretjina tretjino "
    "cetrtina cetrtino ducat dvojno dvojni trojno trojni dvakrat trikrat podvojil podvojila podvojen prepolovljen oba "
    "obe enajsti dvanajsti trinajsti stirinajsti petnajsti sestnajsti sedemnajsti osemnajsti devetnajsti",
)

ALL = (
    ITALIAN, SPANISH, PORTUGUESE, DUTCH, SWEDISH, NORWEGIAN, DANISH, CZECH, HUNGARIAN, TURKISH, CROATIAN_SERBIAN, SLOVENE
)  # fmt: skip

LEFT_OUT = {
    "articles": "un una um uma een en ein ett egy bir het",
    "English": "due sex to fire pet set hat on bin firs prime media miles ot",
    "German": "sei um bin hat set dez dort",
    "French": "en et ni ti tres tva dois triste ste",
    "Polish": "on to ti sta mila pola dobro bada",
}
"""Numbers that are everyday words elsewhere, by where.

Among them: Italian two, Czech five and Portuguese ten (in German, December), Swedish two (in French, value added tax) and
Portuguese two (in French, "I owe").
"""

ONLY_AS_WRITTEN = "tres três pět één dört två båda hét öt"
"""Numbers of which only another accent is the everyday word: très, pet, een, dort, TVA, bada, het, OT."""
