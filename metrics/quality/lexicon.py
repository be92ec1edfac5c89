"""Word tables per language: function words, abbreviations, months.

Function words carry no claim; they also tell which language a text is in. The lists are short
on purpose: the commonest hundred cover most of running text.
"""

from typing import Final

STOPWORDS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": """
            a about above after again against all also am an and any are as at be because been
            before being below between both but by can could did do does doing down during each
            either few for from further had has have having he her here hers him his how i if in
            into is it its itself just may me might more most must my no nor not now of off on
            once only or other our out over own per same shall she should since so some such than
            that the their them then there these they this those through to too under until up
            upon us very was we were what when where which while who whom whose why will with
            within without would yes you your ok okay s t re ve ll d m""",
        "german": """
            ab aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein
            dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du
            durch ein eine einem einen einer eines er es etwas euch für gegen hat hatte haben hier
            hin ich ihm ihn ihnen ihr ihre im in ist ja jede jeder jedes kann kein keine können
            man mehr mein mich mir mit muss müssen nach nein nicht noch nun nur ob oder ohne sehr
            sein seine sich sie sind so solche soll sollte sowie über um und uns unter vom von vor
            war waren was weil welche wenn wer werden wie wieder wir wird wo wurde wurden zu zum
            zur zwischen""",
        "french": """
            à afin ai ainsi après au aussi autre aux avait avant avec avoir c car ce ceci cela ces
            cet cette chez comme d dans de des donc dont du elle elles en encore entre est et eu
            été être fait faut il ils j je l la le les leur leurs lui m ma mais me même mes moi
            mon n ne ni nos notre nous on ont ou où par pas peu peut plus pour pourquoi qu quand
            que quel quelle qui s sa sans se sera ses si son sont sous sur ta te tes toi ton tous
            tout toute toutes très tu un une vos votre vous y""",
        "spanish": """
            a al algo ante antes aquel aquella así aunque cada como con contra cual cuando de del
            desde donde dos durante e el ella ellas ellos en entre era es esa ese eso esta estaba
            estas este esto estos está están fue fueron ha había han hasta hay la las le les lo
            los más me mi mientras muy nada ni no nos nosotros nuestra nuestro o os otra otro
            para pero por porque pues que quien se sea según ser si sido sin sobre son su sus
            también te tiene tienen todo todos tras tu un una unas uno unos usted y ya yo él""",
        "italian": """
            a ad agli ai al alla alle allo anche ancora avere aveva c che chi ci come con contro
            cui d da dagli dai dal dalla dalle dei del della delle dello di dopo dove due e ed
            era erano essere fa fino fra fu gli ha hanno ho i il in io l la le lei li lo loro lui
            ma mi mia mio molto ne negli nei nel nella nelle noi non nostra nostro o ogni per
            perché più poi prima qual quale quando quanto quella quello questa queste questi
            questo se sei senza si sia siamo sono sta stato su sua sue sui sul sulla suo suoi
            tra tu tutti tutto un una uno voi è""",
        "portuguese": """
            a ao aos as até com como da das de dela dele deles depois do dos e ela elas ele eles
            em entre era essa esse esta este está eu foi foram há isso isto já lhe mais mas me
            mesmo meu minha muito na nas nem no nos nossa nosso não num numa o os ou para pela
            pelas pelo pelos por porque pode qual quando que quem se seja sem ser seu seus si sob
            sobre sua suas são só também te tem tinha tudo um uma você vocês é à às""",
        "dutch": """
            aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door
            dus een eens en er ge geen haar had heb hebben heeft hem het hier hij hoe hun iets ik
            in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet nog nu of
            om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor
            want waren was wat we wel werd wezen wie wij wil worden wordt zal ze zelf zich zij
            zijn zo zonder zou""",
    }.items()
}

# After these a full stop ends no sentence (lower case, without the stop).
ABBREVIATIONS: Final = frozenset(
    """
    dr mr mrs ms prof st sr jr no nos vs etc inc ltd co corp fig figs eq vol ed eds al approx
    dept est gen gov sen rep hon capt col lt sgt rev jan feb mar apr jun jul aug sep sept oct
    nov dec mon tue wed thu fri sat sun cf ca pp ch sec art
    nr bzw ca evtl ggf inkl exkl usw str tel hr fr abs bspw sog vgl mio mrd
    m mme mlle env p ex sra srta ud uds pág núm av dott sig ing dhr mevr blz
    """.split()  # noqa: SIM905 - a table
)

# Languages that write ordinals as "3." before these.
MONTHS: Final = frozenset(
    """
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert januari februari maart mei augustus december marts maj
    """.split()  # noqa: SIM905 - a table
)

_MONTH_LISTS: Final = {
    "english": "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug "
    "september|sep|sept october|oct november|nov december|dec",
    "german": "januar|jänner|jan februar|feber|feb märz april|apr mai juni|jun juli|jul "
    "august|aug september|sep|sept oktober|okt november|nov dezember|dez",
    "french": "janvier|janv février|févr mars avril|avr mai juin juillet|juil août septembre|sept "
    "octobre|oct novembre|nov décembre|déc",
    "spanish": "enero|ene febrero|feb marzo|mar abril|abr mayo junio|jun julio|jul agosto|ago "
    "septiembre|setiembre|sept octubre|oct noviembre|nov diciembre|dic",
    "italian": "gennaio|gen febbraio|feb marzo aprile|apr maggio|mag giugno|giu luglio|lug "
    "agosto|ago settembre|set ottobre|ott novembre|nov dicembre|dic",
    "portuguese": "janeiro|jan fevereiro|fev março|mar abril|abr maio junho|jun julho|jul "
    "agosto|ago setembro|set outubro|out novembro|nov dezembro|dez",
    "dutch": "januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug "
    "september|sep|sept oktober|okt november|nov december|dec",
}
MONTH_NAMES: Final[dict[str, dict[str, int]]] = {
    language: {
        name: month
        for month, names in enumerate(months.split(), start=1)
        for name in names.split("|")
    }
    for language, months in _MONTH_LISTS.items()
}
# Months that are other words too: only a capital letter, not at a sentence's start, tells.
AMBIGUOUS_MONTHS: Final = frozenset({"may", "march", "mar", "august", "jan", "mars", "set", "out"})
