"""The words by which an answer shows that it speaks of an image, a sound, a film or a document."""

from functools import cache
from typing import Final

from metrics.quality import text as texts
from scorer.api import MediaKind

_WORDS: Final[dict[str, dict[MediaKind, str]]] = {
    "english": {
        "image": "image picture photo photograph screenshot drawing diagram illustration visual "
        "visible see seen shown depict depicted display displayed",
        "audio": "audio sound recording voice hear heard listen spoken speaker music",
        "video": "video clip footage scene frame film movie",
        "document": "document file page text pdf written read attachment",
    },
    "german": {
        "image": "bild foto fotografie abbildung grafik zeichnung sichtbar sehen sieht sehe zeigt",
        "audio": "audio ton klang aufnahme stimme hören hört höre gehört gesprochen sprecher musik",
        "video": "video clip film szene filmaufnahme",
        "document": "dokument datei seite text pdf geschrieben lesen gelesen anhang",
    },
    "french": {
        "image": "image photo photographie dessin schéma visible voir voit vois montre",
        "audio": "audio son enregistrement voix entendre entend entends écouter parlé musique",
        "video": "vidéo clip film scène séquence",
        "document": "document fichier page texte pdf écrit lire lu",
    },
    "spanish": {
        "image": "imagen imágenes foto fotografía dibujo captura visible ver ve veo muestra",
        "audio": "audio sonido grabación voz oír oye oigo escuchar escucha hablado música",
        "video": "vídeo video clip película escena fotograma",
        "document": "documento archivo página texto pdf escrito leer leo",
    },
    "italian": {
        "image": "immagine foto fotografia disegno schermata visibile vedere vede vedo mostra",
        "audio": "audio suono registrazione voce sentire sente sento ascoltare parlato musica",
        "video": "video clip filmato film scena fotogramma",
        "document": "documento file pagina testo pdf scritto leggere leggo",
    },
    "portuguese": {
        "image": "imagem imagens foto fotografia desenho captura visível ver vê vejo mostra",
        "audio": "áudio som gravação voz ouvir ouve ouço escutar falado música",
        "video": "vídeo clipe filme cena",
        "document": "documento arquivo ficheiro página texto pdf escrito ler leio",
    },
    "dutch": {
        "image": "afbeelding foto plaatje tekening schermafbeelding zichtbaar zien ziet zie toont",
        "audio": "audio geluid opname stem horen hoort hoor luisteren gesproken muziek",
        "video": "video clip film scène",
        "document": "document bestand pagina tekst pdf geschreven lezen gelezen bijlage",
    },
}
# Of scripts without spaces between words; a Korean particle is glued to its word.
_UNSPACED: Final[dict[MediaKind, tuple[str, ...]]] = {
    "image": ("画像", "写真", "图片", "图像", "照片", "圖片", "이미지", "사진"),
    "audio": ("音声", "録音", "音频", "音頻", "录音", "오디오", "음성"),
    "video": ("動画", "映像", "视频", "視頻", "影片", "비디오", "동영상"),
    "document": ("文書", "文件", "文档", "資料", "문서"),
}


def spoken_of(answer: str, question: str, kinds: list[MediaKind]) -> list[MediaKind]:
    """Return the kinds of media that an answer mentions by a word of its own language."""
    normal = texts.normalise(answer)
    language = texts.language_of(answer, question)
    said = {texts.stem(language, word) for word in texts.folded_words(normal)}
    return [
        kind
        for kind in kinds
        if not said.isdisjoint(_stems(language, kind))
        or any(word in normal for word in _UNSPACED[kind])
    ]


@cache
def _stems(language: str, kind: MediaKind) -> frozenset[str]:
    return frozenset(texts.stem(language, word) for word in _WORDS[language][kind].split())
