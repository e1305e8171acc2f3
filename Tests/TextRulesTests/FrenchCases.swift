/// Each case has what is heard, what must be written, and the case's source, separated by bars; `\n` is a line break and
/// `~` a no-break space. The words are from these sources; what is written for them is this project's decision, and often
/// differs from the source's:
///
/// - NeMo: `tests/nemo_text_processing/fr/data_inverse_text_normalization` of github.com/NVIDIA/NeMo-text-processing
/// - text2num: `tests/test_text_to_num_fr.py` of github.com/allo-media/text2num
/// - Apple, Microsoft, Dragon: the lists of dictation commands in their manuals
/// - utter: sentences made up for a rule, most of them to see it leave alone what it must
enum FrenchCases {
    static let numbers = """
        cent | 100 | NeMo cardinal
        dix-huit | 18 | NeMo cardinal
        vingt et un | 21 | NeMo cardinal
        vingt-et-un | 21 | NeMo cardinal
        trente et un | 31 | NeMo cardinal
        quarante trois | 43 | NeMo cardinal
        cinquante-et-un | 51 | NeMo cardinal
        soixante-dix | 70 | NeMo cardinal
        soixante-douze | 72 | NeMo cardinal
        quatre-vingts | 80 | NeMo cardinal
        quatre-vingt-dix-huit | 98 | NeMo cardinal
        deux-cents | 200 | NeMo cardinal
        deux cent neuf | 209 | NeMo cardinal
        cent onze | 111 | NeMo cardinal
        mille vingt | 1020 | NeMo cardinal
        neuf billion sept cent quatre-vingt-neuf milliard trois cent quatre-vingt-deux million cinq cent trente-six mille cent trente | 9~789~382~536~130 | NeMo cardinal
        deux cent cinquante-quatre | 254 | NeMo cardinal
        cent quarante-sept mille quatre cent cinquante et une | 147~451 | NeMo cardinal
        cent-quarante-sept-mille-quatre-cent-cinquante-et-une | 147~451 | NeMo cardinal
        un million cent cinquante-six mille cent soixante-treize | 1~156~173 | NeMo cardinal
        un milliard cinq cent quatre-vingt-treize million septante-deux mille neuf cent soixante et un | 1~593~072~961 | NeMo cardinal
        moins vingt-cinq mille trente-sept | -25~037 | NeMo cardinal
        moins dix-neuf cent trente-sept | -1937 | NeMo cardinal
        moins soixante | -60 | NeMo cardinal
        quarante-six mille six cent soixante-quatre | 46~664 | NeMo cardinal
        soixante | 60 | NeMo cardinal
        zéro | zéro | NeMo cardinal
        un | un | NeMo cardinal
        une | une | NeMo cardinal
        mille | mille | NeMo cardinal
        cinquante trois mille millions deux cent quarante trois mille sept cent vingt quatre | 53~000~243~724 | text2num
        cinquante et un million cinq cent soixante dix-huit mille trois cent deux | 51~578~302 | text2num
        quatre-vingt cinq | 85 | text2num
        quatre-vingt un | 81 | text2num
        quinze | 15 | text2num
        soixante quinze mille | 75~000 | text2num
        quatre-vingt dix-huit | 98 | text2num
        nonante-huit | 98 | text2num
        soixante-dix-huit | 78 | text2num
        septante-huit | 78 | text2num
        octante-huit | 88 | text2num
        huitante-et-un | 81 | text2num
        mil neuf cent vingt | 1920 | text2num
        dix-neuf cent soixante-treize | 1973 | text2num
        vingt-cinq vaches douze poulets et cent vingt-cinq kg de pommes de terre | 25 vaches 12 poulets et 125 kg de pommes de terre | text2num
        mille deux cents soixante-six clous | 1266 clous | text2num
        un deux trois quatre vingt quinze | un deux trois 95 | text2num
        zéro neuf soixante zéro six douze vingt et un | 09 60 06 12 21 | text2num
        cinquante soixante trente et onze | 50 60 30 et 11 | text2num
        les uns et les autres | les uns et les autres | text2num
        il y en a au moins trois dans le jardin et non plus deux | il y en a au moins trois dans le jardin et non plus deux | text2num
        zéro deux douze trente-deux trente trente | 02 12 32 30 30 | NeMo telephone
        quatre vingt dix neuf | 99 | utter
        quatre-vingt-dix-neuf | 99 | utter
        soixante et onze | 71 | utter
        soixante dix neuf | 79 | utter
        septante et un | 71 | utter
        cent quatre vingt deux | 182 | utter
        deux personnes attendent depuis cinq minutes | deux personnes attendent depuis cinq minutes | utter
        un livre neuf et une voiture neuve | un livre neuf et une voiture neuve | utter
        quoi de neuf | quoi de neuf | utter
        mille mercis et mille fois pardon | mille mercis et mille fois pardon | utter
        les mille et une nuits | les mille et une nuits | utter
        un million de raisons | un million de raisons | utter
        deux millions de personnes | 2 millions de personnes | utter
        un million deux cent cinquante mille | 1~250~000 | utter
        cinq à dix jours | 5 à 10 jours | utter
        deux ou trois cents personnes | deux ou trois cents personnes | utter
        deux ou trois personnes | deux ou trois personnes | utter
        à la page cinq | à la page 5 | utter
        le numéro un mondial | le numéro un mondial | utter
        dix moins cinq | 10 moins cinq | utter
        au moins dix fois | au moins 10 fois | utter
        plus ou moins vingt | plus ou moins 20 | utter
        un homme et une femme | un homme et une femme | utter
        peut-être un rendez-vous | peut-être un rendez-vous | utter
        l'un des deux | l'un des deux | utter
        quarante et deux | 40 et deux | utter
        un deux trois soleil | un deux trois soleil | utter
        deux trois et cinq | deux trois et cinq | utter
        """

    static let amounts = """
        zéro virgule deux million | 0,2 million | NeMo decimal
        dix-huit milliards | 18 milliards | NeMo decimal
        quatre-cent-soixante-millions | 460 millions | NeMo decimal
        moins soixante virgule deux quatre zéro zéro | -60,2400 | NeMo decimal
        huit cent dix-huit virgule trois zéro trois | 818,303 | NeMo decimal
        deux dollars | 2~$ | NeMo money
        vingt centimes | 20 centimes | NeMo money
        deux dollars vingt | 2,20~$ | NeMo money
        deux euros et vingt centimes | 2,20~€ | NeMo money
        vingt euros | 20~€ | NeMo money
        zéro euro quatre-vingt | 0,80~€ | NeMo money
        deux-millions de dollars | 2 millions de dollars | NeMo money
        quatre virgule quatre-vingt milliards d'euros | 4,80 milliards d'euros | NeMo money
        douze virgule quatre-vingt dix-neuf | 12,99 | text2num
        cent vingt virgule zéro cinq | 120,05 | text2num
        un virgule deux cent trente six | 1,236 | text2num
        moins quinze à l'extérieur | -15 à l'extérieur | text2num
        trois virgule cinq pour cent | 3,5~% | utter
        cinq pour cent des gens | 5~% des gens | utter
        cent pour cent | 100~% | utter
        un pour cent | 1~% | utter
        j'en ai neuf pour cent euros | j'en ai neuf pour 100~€ | utter
        cent euros | 100~€ | utter
        un euro symbolique | un euro symbolique | utter
        un euro cinquante | 1,50~€ | utter
        moins cinq degrés | -5 degrés | utter
        il en reste moins deux | il en reste moins deux | utter
        """

    static let ordinals = """
        centième | 100e | NeMo ordinal
        vingt-cinq-mille-cent-onzième | 25~111e | NeMo ordinal
        deuxième | deuxième | NeMo ordinal
        premier | premier | NeMo ordinal
        treizième | 13e | NeMo ordinal
        vingt-et-unième | 21e | NeMo ordinal
        cent onzième | 111e | NeMo ordinal
        dix-neuvième siècle | 19e siècle | NeMo ordinal
        mille deux cent trentième | 1230e | text2num
        un dixième | un dixième | NeMo fraction
        la dixième fois | la 10e fois | utter
        le quatre vingt dixième | le 90e | utter
        """

    static let times = """
        huit heures sept | 8~h~07 | NeMo time
        onze heures cinquante-sept | 11~h~57 | NeMo time
        onze heures trente-huit | 11~h~38 | NeMo time
        quatorze heures | 14 heures | NeMo time
        midi moins le quart | midi moins le quart | NeMo time
        cinquante minutes | 50 minutes | NeMo measure
        quatorze heures trente | 14~h~30 | utter
        à huit heures | à 8~h | utter
        de huit heures à dix heures trente | de 8~h à 10~h~30 | utter
        à une heure du matin | à 1~h du matin | utter
        à huit heures cinq demain | à 8~h~05 demain | utter
        à neuf heures et demie | à 9~h~30 | utter
        vers dix heures moins le quart | vers 9~h~45 | utter
        il est une heure moins dix | il est 12~h~50 | utter
        il est huit heures et quart | il est 8~h~15 | utter
        il a dormi huit heures | il a dormi huit heures | utter
        à deux heures de paris | à deux heures de paris | utter
        deux heures trente minutes de route | deux heures 30 minutes de route | utter
        une heure et demie de sommeil | une heure et demie de sommeil | utter
        """

    static let dates = """
        vingt-quatre juillet deux-mille-treize | 24 juillet 2013 | NeMo date
        quatorze janvier | 14 janvier | NeMo date
        premier janvier | 1er janvier | NeMo date
        dix-huit mai dix-neuf cent trente | 18 mai 1930 | NeMo date
        le vingt cinq mars deux mille vingt quatre | le 25 mars 2024 | utter
        le premier mai | le 1er mai | utter
        du premier au dix mai | du 1er au 10 mai | utter
        le deux et le trois mai | le 2 et le 3 mai | utter
        lundi deux avril | lundi 2 avril | utter
        en mille neuf cent quatre vingt quatre | en 1984 | utter
        le premier homme en mars | le premier homme en mars | utter
        """

    static let marks = """
        bonjour virgule ça va point d'interrogation | bonjour, ça va~? | Apple
        bien point merci point d'exclamation | bien. Merci~! | Apple
        ceci deux points cela point virgule | ceci~: cela~; | Apple
        du lait à la ligne du pain | du lait\\nDu pain | Apple
        fin point nouveau paragraphe début | fin.\\n\\nDébut | Microsoft
        ouvrir la parenthèse voir plus haut fermer la parenthèse | (voir plus haut) | Microsoft
        ouvrez les guillemets bonjour fermez les guillemets | «~bonjour~» | Dragon
        nord trait d'union sud | nord-sud | Dragon
        c'est bien tiret très bien | c'est bien – très bien | Dragon
        point final | . | Apple
        mon point de vue | mon point de vue | utter
        à quel point c'est vrai | à quel point c'est vrai | utter
        sur ce point je suis d'accord | sur ce point je suis d'accord | utter
        il n'est point venu hier | il n'est point venu hier | utter
        je n'ai point d'argent | je n'ai point d'argent | utter
        il manque une virgule | il manque une virgule | utter
        il a marqué deux points | il a marqué deux points | utter
        la pêche à la ligne | la pêche à la ligne | utter
        une virgule cinq | une virgule cinq | utter
        c'est bon virgule c'est tout point | c'est bon, c'est tout. | utter
        un point d'interrogation | un point d'interrogation | utter
        on lui donne deux points de vie | on lui donne deux points de vie | utter
        zéro virgule deux virgule trois | zéro, deux, trois | utter
        un point virgule | un point virgule | utter
        oui virgule trois virgule cinq pour cent | oui, 3,5~% | utter
        version deux point zéro | version 2.0 | utter
        vingt pommes virgule douze poires | 20 pommes, 12 poires | utter
        la nouvelle ligne de métro | la nouvelle ligne de métro | utter
        il va à la ligne d'arrivée | il va à la ligne d'arrivée | utter
        """

    static let sentences = """
        été comme hiver | Été comme hiver | utter
        lundi en mars je viens | Lundi en mars je viens | utter
        vingt-cinq personnes sont là | 25 personnes sont là | utter
        efface ça s'il te plaît | Efface ça s'il te plaît | utter
        point à la ligne | .\\n | utter
        """
}
