"""Words that negate what follows them, per language."""

from typing import Final

NEGATIONS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "english": "not never no none nobody nothing neither nor cannot without",
        "german": "nicht nichts nie niemals niemand kein keine keinen keinem keiner keines ohne",
        "french": "pas jamais aucun aucune sans",
        "spanish": "no nunca jamás ningún ninguno ninguna nadie sin",
        "italian": "non mai nessun nessuno nessuna senza",
        "portuguese": "não nunca jamais nenhum nenhuma ninguém sem",
        "dutch": "niet nooit geen niets niemand zonder",
    }.items()
}


def is_negation(word: str, language: str) -> bool:
    """Whether a case-folded word negates."""
    return word in NEGATIONS[language] or (language == "english" and word.endswith("n't"))
